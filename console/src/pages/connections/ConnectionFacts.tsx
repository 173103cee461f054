import { Link } from 'wouter';
import { usePathTo } from '../../app/paths.js';
import { Identifier } from '../../components/Identifier.js';
import { Time } from '../../components/Time.js';
import { ConnectedActor } from './ConnectionList.js';
import type { Connection } from './queries.js';

/** Who it is, and from where. */
export const ConnectionFacts = ({ connection }: { readonly connection: Connection }) => {
  const pathTo = usePathTo();
  const { connectionId, actorTokenId, keyId, actorType, scope, address, sdk, gateway } = connection;
  const { connectedAt, closedAt, seenOpenAt } = connection;
  return (
    <dl className="facts panel">
      <dt>Actor</dt>
      <dd className="record-links">
        <span>
          <ConnectedActor connection={connection} /> <span className="muted">{actorType}</span>
        </span>
        <Identifier value={keyId} what="key id of the actor" />
        <Link href={pathTo('connections', { actorId: actorTokenId })}>All its connections</Link>
        <Link href={pathTo('audit', { resourceId: actorTokenId })}>Its changes</Link>
      </dd>
      <dt>Scope</dt>
      <dd>{scope === null ? <span className="muted">none</span> : <code>{scope}</code>}</dd>
      <dt>Connected</dt>
      <dd>
        <Time at={connectedAt} exact /> from <code>{address}</code>
      </dd>
      <dt>Closed</dt>
      <dd>
        {seenOpenAt !== null && (
          <>
            between <Time at={seenOpenAt} exact /> and{' '}
          </>
        )}
        <Time at={closedAt} none="not yet" exact />
      </dd>
      <dt>Client</dt>
      <dd>{sdk ?? <span className="muted">did not say what it is</span>}</dd>
      <dt>Gateway</dt>
      <dd>
        <Identifier value={gateway} what="id of the gateway" />
      </dd>
      <dt>Connection</dt>
      <dd>
        <Identifier value={connectionId} what="id of the connection" />
      </dd>
    </dl>
  );
};
