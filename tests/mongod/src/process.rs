//! One `mongod` process that cannot outlive this one.

use std::{
    fs,
    io::Read,
    net::{IpAddr, Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use crate::Error;

/// Runs the server until it ends or standard input does, which is when the parent closes its end or dies, by SIGKILL
/// too. Then ends the server, if need be, and removes its folder. What the server logged last goes to standard error if
/// it ended by itself. While there is a file `down`, the server is meant to be dead, and is started again without it.
const SUPERVISOR: &str = r#"
trap '' PIPE # the shell reports the kill to a parent that may be gone
folder=$1; shift
exec 3<&0
{ read -r _; touch "$folder/stopping"; read -r server <"$folder/pid"; kill -9 "$server"; } <&3 &
reader=$!
until [ -e "$folder/stopping" ]; do
    "$@" </dev/null >"$folder/output" 2>&1 3<&- &
    server=$!
    echo $server >"$folder/pid"
    [ -e "$folder/stopping" ] && kill -9 $server
    wait $server
    [ -e "$folder/down" ] || break
    rm -f "$folder/pid"
    while [ -e "$folder/down" ] && [ ! -e "$folder/stopping" ]; do sleep 0.05; done
done 2>/dev/null
kill $reader 2>/dev/null
[ -e "$folder/stopping" ] || tail -n 5 "$folder/output" "$folder/log" >&2
rm -rf "$folder"
"#;

/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Where a server runs.
#[derive(Clone, Debug)]
pub struct Place {
    /// The address that it listens on.
    pub address: IpAddr,
    /// The network namespace (`ip netns`) that has the address, if it is not that of this process.
    pub namespace: Option<String>,
}

impl Place {
    pub(crate) const LOOPBACK: Self = Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), namespace: None };
}

/// A started server process.
#[derive(Debug)]
pub struct Node {
    supervisor: Child,
    place: Place,
    port: u16,
    folder: PathBuf,
}

impl Node {
    pub(crate) fn start(mongod: &Path, place: &Place, replica_set: Option<&str>) -> Result<Self, Error> {
        let failed = |error| Error::new(format!("{} cannot be started: {error}", mongod.display()));
        let port = free_port().map_err(failed)?;
        let folder = tempfile::Builder::new().prefix("mongo-sequence-").tempdir().map_err(failed)?.keep();
        fs::create_dir(folder.join("data")).map_err(failed)?;
        let mut command = Command::new("sh");
        command.args(["-c", SUPERVISOR, "mongod-supervisor"]).arg(&folder);
        if let Some(namespace) = &place.namespace {
            command.args(["ip", "netns", "exec", namespace]);
        }
        command.arg(mongod);
        command.arg("--dbpath").arg(folder.join("data")).arg("--logpath").arg(folder.join("log")).arg("--logappend");
        command.args(["--port", &port.to_string(), "--bind_ip", &place.address.to_string(), "--nounixsocket"]);
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
        Ok(Self { supervisor, place: place.clone(), port, folder })
    }

    /// Where it runs.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A connection string for this node alone.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("mongodb://{}/?directConnection=true", self.host())
    }

    pub(crate) fn host(&self) -> String {
        format!("{}:{}", self.place.address, self.port)
    }

    /// The folder with its data and its log, which is removed when it ends.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ends it at once, by SIGKILL. Its data stays, for [`restart`](Self::restart).
    ///
    /// # Errors
    ///
    /// If it runs no more.
    pub fn crash(&self) -> Result<(), Error> {
        fs::write(self.folder.join("down"), "").map_err(|error| Error::new(error.to_string()))?;
        self.signal("KILL")?;
        while self.folder.join("pid").exists() {
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Starts it again. Returns before it answers.
    ///
    /// # Errors
    ///
    /// If it was not down.
    pub fn restart(&self) -> Result<(), Error> {
        fs::remove_file(self.folder.join("down")).map_err(|error| Error::new(format!("it is not down: {error}")))
    }

    /// Stops it in the middle of everything, by SIGSTOP. Its connections stay open, and nobody answers.
    ///
    /// # Errors
    ///
    /// If it runs no more.
    pub fn freeze(&self) -> Result<(), Error> {
        self.signal("STOP")
    }

    /// Lets it go on.
    ///
    /// # Errors
    ///
    /// If it runs no more.
    pub fn thaw(&self) -> Result<(), Error> {
        self.signal("CONT")
    }

    fn signal(&self, signal: &str) -> Result<(), Error> {
        let failed = |reason: String| Error::new(format!("mongod cannot be sent SIG{signal}: {reason}"));
        let pid = fs::read_to_string(self.folder.join("pid")).map_err(|error| failed(error.to_string()))?;
        let sent = Command::new("kill").args(["-s", signal, pid.trim()]).output();
        let sent = sent.map_err(|error| failed(error.to_string()))?;
        if sent.status.success() { Ok(()) } else { Err(failed(String::from_utf8_lossy(&sent.stderr).into_owned())) }
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
