import { Route, Switch } from 'wouter';
import { AppList } from './AppList.js';
import { AppPage } from './app/AppPage.js';
import { RoomPage } from './room/RoomPage.js';

/** Apps, their rooms and topics, and who may do what there. */
export const RoomsPage = () => (
  <Switch>
    <Route path="/">
      <AppList />
    </Route>
    <Route path="/:appId">{({ appId }) => <AppPage key={appId} appId={appId} />}</Route>
    <Route path="/:appId/:roomId">
      {({ appId, roomId }) => <RoomPage key={roomId} appId={appId} roomId={roomId} />}
    </Route>
  </Switch>
);
