import type { ConnectionState, Filter, RoomwireError } from '@roomwire/sdk';
import { useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { LiveBadge } from '../../components/LiveBadge.js';
import { Problem } from '../../components/Problem.js';
import { useMay } from '../../session/console.js';
import { useClientState, useObserver } from '../../session/useObserver.js';
import { Groups } from './Groups.js';
import { History } from './History.js';
import { MessageDetails } from './MessageDetails.js';
import { MessagePanel } from './MessagePanel.js';
import type { App, Room, Spot } from './model.js';
import { Present } from './Present.js';
import { PublishForm } from './PublishForm.js';
import type { ShownEntry } from './shownEntry.js';
import { useWatch, type WatchState } from './useWatch.js';

interface RoomViewProps {
  readonly app: App;
  readonly room: Room;
  readonly topic: string;
  readonly filters: readonly Filter[];
  readonly scope: string | undefined;
  readonly scopeName: string | undefined;
}

export const RoomView = ({ app, room, topic, filters, scope, scopeName }: RoomViewProps) => {
  const hasHistory = Boolean(app.topicConfigs[topic]?.history);
  const address = `${app.slug}/${room.slug}/${topic}`;
  const spot: Spot = { appId: app.appId, roomId: room.roomId, topic, address, scope, filters, hasHistory };
  const client = useObserver(scope);
  const connection = useClientState(client);
  const { feed, state } = useWatch(client, { topic: address, filters, hasHistory });
  const [selected, select] = useState<ShownEntry>();
  const mayPublish = useMay('editor');

  return (
    <div className="live-room">
      <div className="stack">
        <div className="live-head">
          <code>{address}</code>
          {scopeName !== undefined && <span className="muted">in {scopeName}</span>}
          <Liveliness connection={connection} state={state} />
        </div>
        <Trouble connection={connection} state={state} />
        <Tabs className="panel live-panel">
          <TabList aria-label="Messages" className="tab-list">
            <Tab id="live">Live</Tab>
            <Tab id="history">History</Tab>
          </TabList>
          <TabPanel id="live">
            <MessagePanel feed={feed} spot={spot} selected={selected} onSelect={select} />
          </TabPanel>
          <TabPanel id="history">
            <History spot={spot} selected={selected} onSelect={select} />
          </TabPanel>
        </Tabs>
        <MessageDetails entry={selected} address={address} scope={scope} />
      </div>
      <Tabs className="panel live-panel" defaultSelectedKey={mayPublish ? 'publish' : 'present'}>
        <TabList aria-label="The room" className="tab-list">
          {mayPublish && <Tab id="publish">Publish</Tab>}
          <Tab id="present">Who is here</Tab>
          <Tab id="groups">Worker groups</Tab>
        </TabList>
        {mayPublish && (
          <TabPanel id="publish">
            <PublishForm spot={spot} />
          </TabPanel>
        )}
        <TabPanel id="present">
          <Present spot={spot} />
        </TabPanel>
        <TabPanel id="groups">
          <Groups spot={spot} />
        </TabPanel>
      </Tabs>
    </div>
  );
};

interface LivelinessProps {
  readonly connection: ConnectionState | undefined;
  readonly state: WatchState;
}

const Liveliness = ({ connection, state }: LivelinessProps) => {
  if (state.name === 'refused' || state.name === 'ended')
    return <LiveBadge state="lost" text="Not watched" />;
  if (connection?.name === 'waiting' || connection?.name === 'closed') return <LiveBadge state="lost" />;
  const isLive = connection?.name === 'connected' && state.name === 'watching';
  return <LiveBadge state={isLive ? 'live' : 'waiting'} />;
};

const Trouble = ({ connection, state }: LivelinessProps) => {
  if (state.name === 'refused' || state.name === 'ended') return <Problem error={state.error} />;
  if (connection?.name === 'closed')
    return <Problem error={refusalOf(connection.reason) ?? connection.reason} />;
  if (connection?.name !== 'waiting') return null;
  return (
    <p className="notice warn" role="status">
      The connection is lost, and the page tries again by itself. {refusalOf(connection.reason)?.message}
    </p>
  );
};

/** Why the service gives this page no token to watch with, if that is the reason. */
const refusalOf = ({ error, cause }: RoomwireError): Error | undefined =>
  error === 'token_unavailable' && cause instanceof Error ? cause : undefined;
