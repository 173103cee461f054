import { useQuery } from '@tanstack/react-query';
import { isMissing } from '../../../api/failure.js';
import { Badge } from '../../../components/Badge.js';
import { visibleJson } from '../../../components/dataText.js';
import { Identifier } from '../../../components/Identifier.js';
import { Loading } from '../../../components/Loading.js';
import { PageHeader } from '../../../components/PageHeader.js';
import { Problem } from '../../../components/Problem.js';
import { Time } from '../../../components/Time.js';
import { useProject } from '../../../session/console.js';
import { Gone } from '../Gone.js';
import type { App, Room } from '../model.js';
import { appQuery, roomQuery } from '../queries.js';
import { StatusBadge } from '../../../components/StatusBadge.js';
import { RoomActions } from './RoomActions.js';
import { RoomGrants } from './RoomGrants.js';

interface RoomPageProps {
  readonly appId: string;
  readonly roomId: string;
}

export const RoomPage = ({ appId, roomId }: RoomPageProps) => {
  const project = useProject();
  const app = useQuery(appQuery(project, appId));
  const room = useQuery(roomQuery(project, appId, roomId));
  const failed = [app, room].find(({ isError }) => isError);
  if (failed?.error)
    return isMissing(failed.error) ? (
      <Gone what="room" up={{ href: `/${appId}`, title: 'The app' }} />
    ) : (
      <Problem error={failed.error} retry={failed.refetch} />
    );
  if (!app.data || !room.data) return <Loading what="the room" />;
  return <Shown app={app.data} room={room.data} />;
};

const Shown = ({ app, room }: { readonly app: App; readonly room: Room }) => {
  const topics = room.topics.length === 0 ? app.topics : room.topics;
  return (
    <>
      <PageHeader
        title={room.name}
        up={{ href: `/${app.appId}`, title: app.name }}
        aside={
          <>
            <StatusBadge status={room.status} /> {room.isStatic && <Badge>of the blueprint</Badge>}
          </>
        }
        actions={<RoomActions app={app} room={room} />}
      >
        {room.description ?? undefined}
      </PageHeader>
      <dl className="facts panel">
        <dt>Addresses</dt>
        <dd>
          {topics.length === 0 && <span className="muted">none: the app has no topic</span>}
          {topics.map((topic) => (
            <div key={topic}>
              <Identifier value={`${app.slug}/${room.slug}/${topic}`} what={`the address of ${topic}`} />
              {!app.topics.includes(topic) && <Badge tone="warn">not a topic of the app</Badge>}
            </div>
          ))}
        </dd>
        <dt>Room id</dt>
        <dd>
          <Identifier value={room.roomId} what="the room id" />
        </dd>
        {Object.keys(room.metadata).length > 0 && (
          <>
            <dt>Metadata</dt>
            <dd>
              <code>{visibleJson(room.metadata)}</code>
            </dd>
          </>
        )}
        <dt>Changed</dt>
        <dd>
          <Time at={room.updatedAt} />
        </dd>
      </dl>
      <RoomGrants app={app} room={room} />
    </>
  );
};
