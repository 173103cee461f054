import { Route, Switch } from 'wouter';
import { ActorList } from './ActorList.js';
import { ActorPage } from './ActorPage.js';

/** The clients of the socket protocol. */
export const ActorsPage = () => (
  <Switch>
    <Route path="/">
      <ActorList />
    </Route>
    <Route path="/:actorId">{({ actorId }) => <ActorPage key={actorId} actorId={actorId} />}</Route>
  </Switch>
);
