import { CircleCheck, CircleX } from 'lucide-react';
import type { components } from '@roomwire/server';
import { Link } from 'wouter';
import { usePathTo } from '../../app/paths.js';
import { ChangeLine } from '../../components/ChangeLine.js';
import { CodeSnippet } from '../../components/CodeSnippet.js';
import { Identifier } from '../../components/Identifier.js';
import { Time } from '../../components/Time.js';
import { curlOf } from '../../components/snippets.js';
import { useProject } from '../../session/console.js';

type Explanation = components['schemas']['Explanation'];

/** The outcome in words first, then what it rests on. */
export const Answer = ({ explanation }: { readonly explanation: Explanation }) => {
  const pathTo = usePathTo();
  const { organizationId } = useProject();
  const { actorTokenId, address, action, at, allowed, rule, reason, until, event } = explanation;
  const Icon = allowed ? CircleCheck : CircleX;
  return (
    <div className="stack">
      <section className={`outcome panel ${allowed ? 'good' : 'bad'}`} aria-label="Answer" aria-live="polite">
        <Icon aria-hidden size={20} />
        <div>
          <h2>{allowed ? 'Allowed' : 'Not allowed'}</h2>
          <p>{reason}.</p>
        </div>
      </section>
      <dl className="facts panel">
        <dt>Rule</dt>
        <dd>
          <code>{rule}</code>
        </dd>
        <dt>Made so by</dt>
        <dd>
          {event ? (
            <ChangeLine change={event} />
          ) : (
            <span className="muted">no change: it has been so from the beginning</span>
          )}
        </dd>
        {allowed && (
          <>
            <dt>Until</dt>
            <dd>
              <Time at={until} none="it is changed" exact />
            </dd>
          </>
        )}
        <dt>Actor</dt>
        <dd className="record-links">
          <Identifier value={actorTokenId} what="id of the actor" />
          <Link href={pathTo('audit', { resourceId: actorTokenId })}>Changes</Link>
          <Link href={pathTo('connections', { actorId: actorTokenId })}>Connections</Link>
        </dd>
        <dt>To {action} at</dt>
        <dd>
          <code>{address}</code>
        </dd>
        <dt>Time</dt>
        <dd>
          <Time at={at} exact />
        </dd>
      </dl>
      <CodeSnippet
        label="The same question"
        snippets={[
          {
            title: 'curl',
            code: curlOf(`/organizations/${organizationId}/explain`, {
              actor: actorTokenId,
              address,
              action,
              at,
            }),
          },
        ]}
      />
    </div>
  );
};
