import { Route, Switch } from 'wouter';
import { ConnectionList } from './ConnectionList.js';
import { ConnectionPage } from './ConnectionPage.js';

/** Who is connected, who was, and what happened to a connection. */
export const ConnectionsPage = () => (
  <Switch>
    <Route path="/">
      <ConnectionList />
    </Route>
    <Route path="/:connectionId">
      {({ connectionId }) => <ConnectionPage key={connectionId} connectionId={connectionId} />}
    </Route>
  </Switch>
);
