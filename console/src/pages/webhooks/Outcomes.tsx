import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/schemas.js';
import { Badge } from '../../components/Badge.js';
import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import type { Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { CheckboxField } from '../../components/fields.js';
import { Identifier } from '../../components/Identifier.js';
import { LiveBadge } from '../../components/LiveBadge.js';
import { PlainTable } from '../../components/PlainTable.js';
import { Problem } from '../../components/Problem.js';
import { Time } from '../../components/Time.js';
import { useProject } from '../../session/console.js';
import { outcomeSnippets } from './snippets.js';
import { useOutcomes, type SeenOutcome } from './useOutcomes.js';

type Outcome = Schemas['WebhookOutcome'];

const whyNoAnswer: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  unreachable: 'not reached',
  forbidden: 'address not allowed',
};

const following: Readonly<Record<Outcome['next'], string>> = {
  done: 'done',
  retry: 'is made again',
  deadLetter: 'dead letter',
  dropped: 'dropped',
};

const toneOf = ({ outcome, next }: Outcome): 'good' | 'warn' | 'bad' => {
  if (outcome === '2xx') return 'good';
  return next === 'retry' ? 'warn' : 'bad';
};

const columns: readonly Column<SeenOutcome>[] = [
  { title: 'When', cell: ({ outcome }) => <Time at={outcome.at} exact /> },
  { title: 'Call', cell: ({ outcome: { kind, attempt } }) => `${kind}, attempt ${attempt}` },
  { title: 'To', cell: ({ outcome }) => outcome.urlOrigin },
  {
    title: 'Outcome',
    cell: ({ outcome }) => (
      <Badge tone={toneOf(outcome)}>
        {outcome.status ?? whyNoAnswer[outcome.outcome] ?? outcome.outcome}
      </Badge>
    ),
  },
  { title: 'Took', align: 'end', cell: ({ outcome }) => `${Math.round(outcome.durationMs)} ms` },
  {
    title: 'Then',
    cell: ({ outcome: { next, webhookId } }) =>
      next === 'deadLetter' ? <Link href={`/dead-letters/${webhookId}`}>dead letter</Link> : following[next],
  },
  {
    title: 'webhook-id',
    cell: ({ outcome }) => <Identifier value={outcome.webhookId} what="the webhook id" isShort />,
  },
];

/** Each attempt of a call, as it ends. */
export const Outcomes = () => {
  const [failedOnly, setFailedOnly] = useState(false);
  const { organizationId, projectId } = useProject();
  const { rows, total, failed, hasGap, isWatching, error } = useOutcomes(failedOnly);
  return (
    <div className="stack">
      <div className="panel-head">
        <span className="message-rates">
          <LiveBadge state={error ? 'lost' : isWatching ? 'live' : 'waiting'} />
          <span className="muted">
            {total} {total === 1 ? 'attempt' : 'attempts'} since this page is open, {failed} without a 2xx
          </span>
        </span>
        <CheckboxField name="failed" label="Only failures" isSelected={failedOnly} onChange={setFailedOnly} />
      </div>
      {error && <Problem error={error} />}
      {hasGap && (
        <p className="notice warn" role="status">
          There were more attempts than this page could follow; some are not listed.
        </p>
      )}
      <PlainTable
        label="Attempts of webhook calls"
        columns={columns}
        keyOf={({ key }) => String(key)}
        rows={rows}
        empty={
          <EmptyState title="No call yet">
            Attempts show here as they end. An app calls your backend where it has a trigger, a hydration or
            an event webhook in its configuration.
          </EmptyState>
        }
      />
      <CodeDisclosure
        label="Follow the calls"
        snippets={outcomeSnippets({ organizationId, projectId, failedOnly })}
      />
    </div>
  );
};
