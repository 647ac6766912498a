//! Section 4: gapless inserts by several processes at once, each of which is this program again.
//!
//! A process makes its connections, warms up, says `ready`, waits for a line, inserts for the fixed time, and tells what
//! it did as JSON. The pipes are read and written by the main thread, which nothing else runs on.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio},
};

use serde::{Deserialize, Serialize};

use crate::{
    Result,
    arguments::{Child, Plan},
    at,
    check::check,
    deployment::{Deployment, client},
    measure::{Told, Work, callers},
    modes::Way,
    results::{Cell, Quantity, Results, Section, Values, float},
};

const PROCESSES: usize = 4;
const CALLERS: usize = 16;

/// What the other is compared to, and the other.
const WAYS: [Way; 2] = [Way::GaplessByHand, Way::SequencedGapless];

/// What a process did.
#[derive(Serialize, Deserialize)]
struct Report {
    numbers: Vec<i64>,
    acknowledged: usize,
    in_time: usize,
}

pub(crate) fn cells() -> [Cell; 2] {
    WAYS.map(|way| Section::Processes.cell(way.name(), PROCESSES * CALLERS))
}

pub(crate) async fn run(plan: &Plan, deployment: &Deployment, results: &mut Results) -> Result<()> {
    for (way, cell) in WAYS.into_iter().zip(cells()) {
        if !plan.wants(&cell.to_string()) {
            continue;
        }
        let name = deployment.fresh_name();
        let (told, values) = measure(plan, deployment, way, &name).await.map_err(at(cell))?;
        check(deployment.db(), &name, told, way.promise()).await.map_err(at(cell))?;
        results.add(cell, values);
    }
    Ok(())
}

async fn measure(plan: &Plan, deployment: &Deployment, way: Way, name: &str) -> Result<(Told, Values)> {
    let mut told = Told::default();
    let first = way.on(deployment.client(), deployment.db(), name);
    told.acknowledged += first.call(&mut told.numbers).await?;
    let mut running =
        (0..PROCESSES).map(|_| Running::start(plan, deployment, way, name)).collect::<Result<Vec<_>>>()?;
    for process in &mut running {
        process.until_ready()?;
    }
    let before = deployment.counted().await?;
    for process in &mut running {
        process.stdin.write_all(b"go\n")?;
    }
    let reports = running.into_iter().map(Running::report).collect::<Result<Vec<_>>>()?;
    let counted = deployment.counted().await? - before;
    let in_time: usize = reports.iter().map(|report| report.in_time).sum();
    let shares = || reports.iter().map(|report| float(report.in_time) / float(in_time));
    let values = Values::from([
        (Quantity::PerSecond, float(in_time) / plan.window.as_secs_f64()),
        (Quantity::Aborts, counted.aborts),
        (Quantity::SmallestShare, shares().fold(1.0, f64::min)),
        (Quantity::LargestShare, shares().fold(0.0, f64::max)),
    ]);
    for Report { numbers, acknowledged, .. } in reports {
        told.append(Told { numbers, acknowledged });
    }
    Ok((told, values))
}

struct Running {
    process: Process,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    fn start(plan: &Plan, deployment: &Deployment, way: Way, name: &str) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--child", way.name(), deployment.uri(), deployment.db().name(), name]);
        command.args([plan.warm_up, plan.window].map(|time| time.as_millis().to_string()));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = process.stdin.take().ok_or("no pipe to the process")?;
        let stdout = BufReader::new(process.stdout.take().ok_or("no pipe from the process")?);
        Ok(Self { process, stdin, stdout })
    }

    fn until_ready(&mut self) -> Result<()> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        if line == "ready\n" { Ok(()) } else { Err("a process ended before it was ready".into()) }
    }

    fn report(mut self) -> Result<Report> {
        let mut text = String::new();
        self.stdout.read_to_string(&mut text)?;
        let status = self.process.wait()?;
        if !status.success() {
            return Err(format!("a process ended with {status}").into());
        }
        Ok(serde_json::from_str(&text)?)
    }
}

/// What one of the processes does.
pub(crate) async fn child(asked: &Child) -> Result<()> {
    let way = Way::named(&asked.way).ok_or("no such way")?;
    let client = client(&asked.uri, u32::try_from(CALLERS)?, "throughput-process").await?;
    let inserter = way.on(&client, &client.database(&asked.database), &asked.collection);
    let mut told = callers(&inserter, CALLERS, asked.warm_up).await?.told;
    println!("ready");
    let mut line = String::new();
    if std::io::stdin().read_line(&mut line)? == 0 {
        return Err("whoever started this process is gone".into());
    }
    let calls = callers(&inserter, CALLERS, asked.window).await?;
    told.append(calls.told);
    let report = Report { numbers: told.numbers, acknowledged: told.acknowledged, in_time: calls.in_time };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}
