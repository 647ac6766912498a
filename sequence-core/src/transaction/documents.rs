//! The documents of a transaction: from their templates, looked over by the caller, or made by it.

use std::time::Duration;

use mongodb::{
    ClientSession,
    bson::{Bson, RawDocumentBuf},
};
use tokio::sync::oneshot;

use super::owned::{Failure, Insertion};
use crate::{Error, ErrorKind, Result, numbering::Numbers};

/// How long a caller may take to serialize a document whose bytes depend on the number. The counter is locked meanwhile.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// Asks the caller for the documents with these numbers.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) numbers: Numbers,
    pub(crate) reply: oneshot::Sender<Result<Vec<RawDocumentBuf>>>,
}

impl Insertion {
    pub(super) async fn insert(&self, session: &mut ClientSession) -> Result<Vec<Bson>, Failure> {
        let Some(templates) = &self.templates else {
            let documents = self.ask_caller().await.map_err(Failure::Other)?;
            return self.target.insert_all(documents, session).await.map_err(Failure::Insert);
        };
        // The caller makes the documents too while these are on their way, and the two are compared. Without the caller
        // nobody can tell, or wants to know: nothing is stored. One that has not come to it in time holds nobody up.
        let numbered = templates.iter().zip(self.numbers.iter()).map(|(template, numbers)| template.numbered(numbers));
        let documents: Vec<_> = numbered.collect::<Result<_>>().map_err(Failure::Other)?;
        let Some(caller) = &self.caller else {
            return self.target.insert_all(documents, session).await.map_err(Failure::Insert);
        };
        let (request, answer) = self.request();
        drop(caller.try_send(request)); // a request that cannot be delivered closes its answer
        let ids = self.target.insert_all(documents.clone(), session).await.map_err(Failure::Insert)?;
        match tokio::time::timeout(ANSWER_TIME, answer).await {
            Ok(Ok(exact)) if exact.as_ref().is_ok_and(|exact| is_same(exact, &documents)) => {}
            Ok(Ok(Ok(_))) => return Err(Failure::Dependent),
            Ok(Ok(Err(error))) => return Err(Failure::Other(error)),
            Ok(Err(_)) if caller.is_closed() => {
                return Err(Failure::Other(Error::new(ErrorKind::Deadline { limit: self.time_limit })));
            }
            Ok(Err(_)) | Err(_) => {}
        }
        Ok(ids)
    }

    fn request(&self) -> (Request, oneshot::Receiver<Result<Vec<RawDocumentBuf>>>) {
        let (reply, answer) = oneshot::channel();
        (Request { numbers: self.numbers.clone(), reply }, answer)
    }

    async fn ask_caller(&self) -> Result<Vec<RawDocumentBuf>> {
        let (request, answer) = self.request();
        let made = async { self.caller.as_ref()?.send(request).await.ok().zip(answer.await.ok()) };
        match tokio::time::timeout(ANSWER_TIME, made).await {
            Ok(Some(((), documents))) => documents,
            _ => Err(Error::new(ErrorKind::Deadline { limit: ANSWER_TIME })),
        }
    }
}

fn is_same(exact: &[RawDocumentBuf], sent: &[RawDocumentBuf]) -> bool {
    exact.iter().map(|document| document.as_bytes()).eq(sent.iter().map(|document| document.as_bytes()))
}
