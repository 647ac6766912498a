//! One `mongod` process that cannot outlive this one.

use std::{
    fs,
    io::Read,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use crate::Error;

/// Runs the server until it ends or standard input does, which is when the parent closes its end or dies, by SIGKILL
/// too. Then ends the server, if need be, and removes its folder. What the server logged last goes to standard error if
/// it ended by itself.
const SUPERVISOR: &str = r#"
trap '' PIPE # the shell reports the kill to a parent that may be gone
folder=$1; shift
exec 3<&0
"$@" </dev/null >"$folder/output" 2>&1 3<&- &
server=$!
{ read -r _; touch "$folder/stopping"; kill -9 $server; } <&3 &
reader=$!
wait $server
kill $reader 2>/dev/null
[ -e "$folder/stopping" ] || tail -n 5 "$folder/output" "$folder/log" >&2
rm -rf "$folder"
"#;

/// A started server process.
#[derive(Debug)]
pub struct Node {
    supervisor: Child,
    port: u16,
    folder: PathBuf,
}

impl Node {
    pub(crate) fn start(mongod: &Path, replica_set: Option<&str>) -> Result<Self, Error> {
        let failed = |error| Error::new(format!("{} cannot be started: {error}", mongod.display()));
        let port = free_port().map_err(failed)?;
        let folder = tempfile::Builder::new().prefix("mongo-sequence-").tempdir().map_err(failed)?.keep();
        fs::create_dir(folder.join("data")).map_err(failed)?;
        let mut command = Command::new("sh");
        command.args(["-c", SUPERVISOR, "mongod-supervisor"]).arg(&folder).arg(mongod);
        command.arg("--dbpath").arg(folder.join("data")).arg("--logpath").arg(folder.join("log"));
        command.args(["--port", &port.to_string(), "--bind_ip", "127.0.0.1", "--nounixsocket"]);
        command.args(["--wiredTigerCacheSizeGB", "0.25", "--setParameter", "enableTestCommands=1"]);
        command.args(["--setParameter", "diagnosticDataCollectionEnabled=false"]);
        if let Some(name) = replica_set {
            command.args(["--replSet", name, "--oplogSize", "64"]);
        }
        // A group of its own: Ctrl-C reaches this process only, whose end the supervisor sees.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let supervisor = command.spawn().map_err(failed)?;
        Ok(Self { supervisor, port, folder })
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A connection string for this node alone.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("mongodb://127.0.0.1:{}/?directConnection=true", self.port)
    }

    /// The folder with its data and its log, which is removed when it ends.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it said, if it has ended by itself.
    pub(crate) fn ended(&mut self) -> Option<String> {
        let _status: ExitStatus = self.supervisor.try_wait().ok()??;
        let mut said = String::new();
        let _read = self.supervisor.stderr.take()?.read_to_string(&mut said);
        Some(said)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        let _status = self.supervisor.wait();
    }
}

/// A port that was free a moment ago. Whoever takes it in between makes the server end at once, and it is tried again.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
