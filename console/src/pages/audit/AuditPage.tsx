import { Route, Switch } from 'wouter';
import { ChangesPage } from './ChangesPage.js';
import { RecordPage } from './RecordPage.js';
import { RefusedPage } from './RefusedPage.js';

/** Who changed what and when, what a record was, and what was refused to whom. */
export const AuditPage = () => (
  <Switch>
    <Route path="/">
      <ChangesPage />
    </Route>
    <Route path="/record">
      <RecordPage />
    </Route>
    <Route path="/refused">
      <RefusedPage />
    </Route>
  </Switch>
);
