import { useQuery } from '@tanstack/react-query';
import { answerOf, isMissing } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { visibleJson } from '../../components/dataText.js';
import { Identifier } from '../../components/Identifier.js';
import { Loading } from '../../components/Loading.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Problem } from '../../components/Problem.js';
import { StatusBadge } from '../../components/StatusBadge.js';
import { Time } from '../../components/Time.js';
import { useProject } from '../../session/console.js';
import { ActorActions } from './ActorActions.js';

const up = { href: '/', title: 'Actors' };

export const ActorPage = ({ actorId }: { readonly actorId: string }) => {
  const { api, projectId } = useProject();
  const actor = useQuery({
    queryKey: [projectId, 'actor', actorId],
    queryFn: () => answerOf(api.GET('/actors/{actorId}', { params: { path: { actorId } } })),
  });
  if (actor.isPending) return <Loading what="the actor" />;
  if (actor.isError)
    return isMissing(actor.error) ? (
      <PageHeader title="There is no such actor" up={up}>
        It was deleted, or your backend has named it in a token and Roomwire has no record of it.
      </PageHeader>
    ) : (
      <Problem error={actor.error} retry={actor.refetch} />
    );
  return <Shown actor={actor.data} />;
};

const Shown = ({ actor }: { readonly actor: Schemas['Actor'] }) => (
  <>
    <PageHeader
      title={actor.name}
      up={up}
      aside={<StatusBadge status={actor.status} />}
      actions={<ActorActions actor={actor} />}
    />
    <dl className="facts panel">
      <dt>Type</dt>
      <dd>{actor.actorType}</dd>
      <dt>Key id</dt>
      <dd>
        <Identifier value={actor.keyId} what="the key id" />
      </dd>
      <dt>Actor id</dt>
      <dd>
        <Identifier value={actor.actorTokenId} what="the actor id" />
      </dd>
      <dt>Scope</dt>
      <dd>{actor.accessScopeId === null ? 'none' : <ScopeName accessScopeId={actor.accessScopeId} />}</dd>
      <dt>Expires</dt>
      <dd>
        <Time at={actor.expiresAt} />
      </dd>
      <dt>Last used</dt>
      <dd>
        <Time at={actor.lastUsedAt} />
      </dd>
      <dt>Made</dt>
      <dd>
        <Time at={actor.createdAt} />
      </dd>
      {actor.metadata !== null && (
        <>
          <dt>Metadata</dt>
          <dd>
            <code>{visibleJson(actor.metadata)}</code>
          </dd>
        </>
      )}
    </dl>
  </>
);

const ScopeName = ({ accessScopeId }: { readonly accessScopeId: string }) => {
  const { api, projectId } = useProject();
  const { data } = useQuery({
    queryKey: [projectId, 'scope', accessScopeId],
    queryFn: () => answerOf(api.GET('/scopes/{scopeId}', { params: { path: { scopeId: accessScopeId } } })),
  });
  return <>{data?.name ?? accessScopeId}</>;
};
