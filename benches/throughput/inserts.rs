//! Section 1: one document with each call.

use crate::{
    Result,
    arguments::Plan,
    at,
    check::check,
    deployment::Deployment,
    measure::{Load, measure},
    modes::Way,
    results::{Results, Section},
};

pub(crate) async fn run(plan: &Plan, deployment: &Deployment, results: &mut Results) -> Result<()> {
    for &callers in plan.callers {
        for way in Way::ALL {
            let cell = Section::Inserts.cell(way.name(), callers);
            // on a plain collection its callers would mostly wait for one another's transactions, as by hand
            if (way == Way::PlainGapless && callers > 1) || !plan.wants(&cell.to_string()) {
                continue;
            }
            let name = deployment.fresh_name();
            let inserter = way.on(deployment.client(), deployment.db(), &name);
            let load = Load { callers, warm_up: plan.warm_up, window: plan.window };
            let (told, values) = measure(&inserter, load, deployment).await.map_err(at(cell))?;
            check(deployment.db(), &name, told, way.promise()).await.map_err(at(cell))?;
            results.add(cell, values);
        }
    }
    Ok(())
}
