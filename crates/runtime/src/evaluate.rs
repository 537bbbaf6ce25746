//! Decisions asked from outside of any process.

use std::sync::Arc;

use orloj_calls::DecisionEffort;
use orloj_dmn::Environment;
use orloj_store::{DecisionRow, DecisionVersion};

use crate::api::{
    DecisionFailure, DecisionMade, DecisionStep, DecisionView, Error, EvaluateDecision, Missing,
    WhichDecision,
};
use crate::calls::count_decision;
use crate::handle::Orloj;
use crate::node::{Reply, Request};

impl Orloj {
    /// Nothing is kept of it but the answer.
    pub async fn evaluate_decision(&self, ask: EvaluateDecision) -> Result<DecisionMade, Error> {
        let decisions = &self.inner.decisions;
        let row = match &ask.which {
            WhichDecision::Key(key) => decisions.get(*key).await?,
            WhichDecision::Latest(id) => decisions
                .find(id, &ask.tenant, DecisionVersion::Latest)
                .await?
                .ok_or_else(|| Error::Missing(Missing::Decision(id.clone())))?,
        };
        let model = decisions.model(&row).await?;
        let Reply::Keys(keys) = self.request(Request::Keys { count: 1 }).await? else {
            return Err(Error::Internal("no key for an evaluation".into()));
        };
        let environment = Environment::new(self.now());
        let evaluation = model.evaluate(&row.decision_id, &ask.variables, &environment);
        count_decision(&self.inner.metrics.meters, DecisionEffort::of(&evaluation));
        let mut steps = Vec::new();
        for record in &evaluation.decisions {
            let Some(decision) = self.sibling(&row, &record.id).await? else { continue };
            let mut tables = evaluation.tables.iter();
            let table = tables.find(|table| table.element_id == record.id).cloned();
            let (logic, value) = (record.logic, record.value.clone());
            steps.push(DecisionStep { decision, logic, value, table });
        }
        let result = match evaluation.failure() {
            None => Ok(evaluation.value),
            Some(problem) => {
                let mut known = model.invocables();
                let failed = known.find(|known| known.name == problem.element);
                let decision_id = failed.map_or(row.decision_id.clone(), |known| known.id);
                Err(DecisionFailure { decision_id, message: problem.to_string() })
            }
        };
        Ok(DecisionMade {
            key: keys.first().copied().unwrap_or_default(),
            decision: DecisionView::from(&*row),
            result,
            steps,
        })
    }

    /// A decision of the same file.
    async fn sibling(
        &self,
        row: &DecisionRow,
        id: &Arc<str>,
    ) -> Result<Option<DecisionView>, Error> {
        if *id == row.decision_id {
            return Ok(Some(DecisionView::from(row)));
        }
        let version = DecisionVersion::Deployment(row.deployment);
        let found = self.inner.decisions.find(id, &row.tenant, version).await?;
        Ok(found.map(|row| DecisionView::from(&*row)))
    }
}
