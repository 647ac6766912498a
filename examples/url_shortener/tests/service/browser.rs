//! The pages in Chromium, as a person would use them.

use std::{env, path::PathBuf, process::Stdio};

use thirtyfour::{ChromiumLikeCapabilities, DesiredCapabilities, prelude::*};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::support::{PATIENCE, Service};

/// With `SCREENSHOTS` in the environment, that folder gets a picture of every page.
#[tokio::test]
#[ignore = "needs chromium and chromedriver (.ci/install-chromium): cargo test -p url-shortener -- --ignored"]
async fn a_person_shortens_an_address_and_follows_the_link() {
    let (service, other) = (Service::start().await, Service::start().await);
    let browser = Browser::start().await;
    // in a task of its own: the browser is ended however that ends
    let walk = tokio::spawn(walk(browser.driver.clone(), service.base.clone(), other.at("/all-links")));
    let walked = walk.await;
    browser.end().await;
    walked.unwrap().unwrap();
    service.end().await;
    other.end().await;
}

async fn walk(driver: WebDriver, base: String, target: String) -> WebDriverResult<()> {
    driver.goto(&base).await?;
    assert_eq!(driver.title().await?, "Shorten an address · Short links");
    let width = driver.execute("return getComputedStyle(document.body).maxWidth", Vec::new()).await?;
    assert_eq!(width.json().as_str(), Some("832px"), "the style is there");
    picture(&driver, "form").await?;

    // what is wrong is said, where the input is told to have it
    submit(&driver, "ftp://example.org/").await?;
    let error = driver.query(By::Css("[role=alert]")).first().await?;
    assert_eq!(error.text().await?, "Only addresses that begin with http:// or https:// can be shortened.");
    let input = driver.find(By::Id("target")).await?;
    assert_eq!(input.prop("value").await?.as_deref(), Some("ftp://example.org/"));
    assert_eq!(input.attr("aria-invalid").await?.as_deref(), Some("true"));
    let described = input.attr("aria-describedby").await?.unwrap_or_default();
    assert!(described.split(' ').any(|id| id == "error"), "{described}");
    assert_eq!(driver.active_element().await?.id().await?.as_deref(), Some("target"));
    picture(&driver, "error").await?;

    // the link, on its page and followed
    submit(&driver, &target).await?;
    let short = driver.query(By::Id("short")).first().await?;
    assert_eq!(driver.current_url().await?.as_str(), format!("{base}/links/1"));
    assert_eq!(short.text().await?, format!("{base}/1"));
    picture(&driver, "link").await?;
    short.click().await?;
    driver.query(By::XPath("//h1[text()='All links']")).first().await?;
    assert_eq!(driver.current_url().await?.as_str(), target);
    picture(&driver, "empty").await?;

    // the list
    driver.goto(&base).await?;
    submit(&driver, "https://example.org/?q=<script>document.title='taken over'</script>").await?;
    driver.query(By::Id("short")).first().await?;
    driver.find(By::LinkText("All links")).await?.click().await?;
    driver.query(By::Css("tbody tr:nth-child(2)")).first().await?;
    let mut rows = Vec::new();
    for row in driver.find_all(By::Css("tbody tr")).await? {
        let (slug, leads_to) = (row.find(By::Css(".slug")).await?, row.find(By::Css(".long")).await?);
        rows.push((slug.text().await?, leads_to.text().await?));
    }
    let script = "https://example.org/?q=%3Cscript%3Edocument.title=%27taken%20over%27%3C/script%3E".to_owned();
    assert_eq!(rows, [("/2".to_owned(), script), ("/1".to_owned(), target)]);
    assert_eq!(driver.title().await?, "All links · Short links");
    picture(&driver, "list").await
}

/// Fills the form on the page, by the label of its field, and sends it.
async fn submit(driver: &WebDriver, target: &str) -> WebDriverResult<()> {
    driver.query(By::XPath("//label[text()='Address']")).first().await?.click().await?;
    let input = driver.active_element().await?;
    input.clear().await?;
    input.send_keys(target).await?;
    driver.find(By::XPath("//button[text()='Shorten']")).await?.click().await
}

async fn picture(driver: &WebDriver, name: &str) -> WebDriverResult<()> {
    match env::var_os("SCREENSHOTS") {
        Some(folder) => driver.screenshot(&PathBuf::from(folder).join(format!("{name}.png"))).await,
        None => Ok(()),
    }
}

/// Chromium without a window, and the chromedriver that leads it.
struct Browser {
    driver: WebDriver,
    chromedriver: Child,
}

impl Browser {
    async fn start() -> Self {
        let mut chromedriver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("chromedriver is on PATH: .ci/install-chromium");
        let mut printed = BufReader::new(chromedriver.stdout.take().unwrap()).lines();
        let port = async {
            loop {
                let line = printed.next_line().await.unwrap().expect("chromedriver is running");
                if let Some((_, port)) = line.split_once("started successfully on port ") {
                    return port.trim_end_matches('.').to_owned();
                }
            }
        };
        let port = timeout(PATIENCE, port).await.expect("chromedriver starts");
        let mut chromium = DesiredCapabilities::chrome();
        // no sandbox: a container has none, and the only pages are our own
        for argument in [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1000,700",
        ] {
            chromium.add_arg(argument).unwrap();
        }
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), chromium).await.expect("Chromium starts");
        Self { driver, chromedriver }
    }

    async fn end(mut self) {
        let quit = self.driver.quit().await;
        self.chromedriver.kill().await.unwrap();
        quit.unwrap();
    }
}
