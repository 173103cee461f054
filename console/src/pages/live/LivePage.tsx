import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { EmptyState } from '../../components/EmptyState.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Problem } from '../../components/Problem.js';
import { useProject } from '../../session/console.js';
import { usePlace, type PlaceChoice } from './place.js';
import { PlaceBar } from './PlaceBar.js';
import { appOf, isGone, placeAt, roomOf, scopesOf } from './queries.js';
import { RoomView } from './RoomView.js';

export const LivePage = () => {
  const place = usePlace();
  useFoundAddress(place);
  return (
    <>
      <PageHeader title="Live room">
        Watch the messages of a topic as they come, and publish to it. You are seen by nobody and counted
        nowhere.
      </PageHeader>
      <div className="stack">
        <PlaceBar place={place} />
        <Chosen place={place} />
      </div>
    </>
  );
};

const Chosen = ({ place }: { readonly place: PlaceChoice }) => {
  const { appId, roomId, topic, scope, filters, address } = place;
  const project = useProject();
  const app = useQuery(appOf(project, appId));
  const room = useQuery(roomOf(project, appId, roomId));
  const scopes = useQuery({ ...scopesOf(project), enabled: scope !== undefined });
  const found = useQuery(placeAt(project, address));

  if (address !== undefined && found.data === null) return <NoSuchPlace what={address} />;
  const error = app.error ?? room.error ?? found.error;
  if (isGone(error)) return <NoSuchPlace what="That app or room" />;
  if (error) return <Problem error={error} retry={() => Promise.all([app.refetch(), room.refetch()])} />;
  if (!app.data || !room.data || topic === undefined)
    return (
      <EmptyState title="Choose a room and a topic">
        Their messages show here. Link to this page, with what is chosen, to show it to somebody else.
      </EmptyState>
    );
  return (
    <RoomView
      // What is chosen in one topic, and what was published there, is nothing in another.
      key={`${app.data.slug}/${room.data.slug}/${topic} ${scope}`}
      app={app.data}
      room={room.data}
      topic={topic}
      filters={filters}
      scope={scope}
      scopeName={scopes.data?.find(({ accessScopeId }) => accessScopeId === scope)?.name}
    />
  );
};

const NoSuchPlace = ({ what }: { readonly what: string }) => (
  <EmptyState title={`${what} is not here`}>
    It was deleted, or belongs to another project. Choose another.
  </EmptyState>
);

/** Turns the address of a topic, as links from other pages have it, into what is chosen. */
const useFoundAddress = ({ address, choose }: PlaceChoice): void => {
  const { data } = useQuery(placeAt(useProject(), address));
  useEffect(() => {
    if (data) choose({ app: data.app, room: data.room, topic: data.topic });
  }, [data]);
};
