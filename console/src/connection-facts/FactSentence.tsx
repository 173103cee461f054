import type { components } from '@roomwire/server';
import { Link } from 'wouter';
import type { ReactNode } from 'react';
import { usePathTo } from '../app/paths.js';
import { Time } from '../components/Time.js';
import { closeText } from './closeText.js';

export type Fact = components['schemas']['ConnectionEntry'];

/** What happened to a connection, in a sentence, with the options that were in force. */
export const FactSentence = ({ fact }: { readonly fact: Fact }) => <span>{sentences[fact.kind](fact)}</span>;

const sentences: { readonly [K in Fact['kind']]: (fact: Fact) => ReactNode } = {
  authenticated: ({ scope, narrowed }) => (
    <>
      It <strong>authenticated</strong>
      <InScope scope={scope} />
      {narrowed && ', with a token that leaves out some of its rights'}.
    </>
  ),
  renewed: ({ scope, narrowed }) => (
    <>
      It <strong>renewed its token</strong>
      <InScope scope={scope} />
      {narrowed && ', with one that leaves out some of its rights'}.
    </>
  ),
  subscribed: (fact) => (
    <>
      It <strong>subscribed</strong> to <Topic {...fact} />
      <Wishes {...fact} />.
    </>
  ),
  changed: (fact) => (
    <>
      It <strong>changed its subscription</strong> to <Topic {...fact} />
      <Wishes {...fact} />.
    </>
  ),
  replayed: (fact) => (
    <>
      It was <strong>sent earlier messages</strong> of <Topic {...fact} />.
    </>
  ),
  unsubscribed: ({ reason, rule, ...fact }) =>
    reason === 'client' ? (
      <>
        It <strong>unsubscribed</strong> from <Topic {...fact} />.
      </>
    ) : (
      <>
        It <strong>lost its subscription</strong> to <Topic {...fact} />: {wordsOf(reason)}
        {rule !== undefined && (
          <>
            {' '}
            (<code>{rule}</code>)
          </>
        )}
        .
      </>
    ),
  handedOut: ({ group, messageId = '', delivery, ...fact }) => (
    <>
      It was <strong>given a job</strong>, <code>{messageId}</code> of the group <code>{group}</code> in{' '}
      <Topic {...fact} />
      {delivery !== undefined && delivery > 1 && `, delivery ${delivery}`}.
    </>
  ),
  slow: ({ since, bytes }) => (
    <>
      It <strong>read too slowly</strong>: {bytes?.toLocaleString('en')} bytes were not written, of what it
      was to get since <Time at={since} exact />.
    </>
  ),
  closed: ({ by, code, reason }) => (
    <>
      It was <strong>closed</strong>:{' '}
      {closeText({ closedBy: by ?? null, closeCode: code ?? null, closeReason: reason ?? null })}.
    </>
  ),
  standing: ({ subscriptions = [] }) => (
    <>
      It <strong>was open</strong>, with{' '}
      {subscriptions.length === 0 ? 'no subscription' : <Topics subscriptions={subscriptions} />}.
    </>
  ),
};

const wordsOf = (reason = 'its rights have ended'): string => reason.replaceAll('_', ' ');

const InScope = ({ scope }: { readonly scope: string | null | undefined }) =>
  scope === null || scope === undefined ? null : (
    <>
      {' '}
      in the scope <code>{scope}</code>
    </>
  );

const Topic = ({ topic = '', scope }: Pick<Fact, 'topic' | 'scope'>) => {
  const pathTo = usePathTo();
  return (
    <>
      <Link href={pathTo('live', { address: topic })}>{topic}</Link>
      <InScope scope={scope} />
    </>
  );
};

type FactWishes = Pick<Fact, 'filters' | 'filtersLeftOut' | 'own' | 'group' | 'jobs'>;

const Wishes = ({ filters, filtersLeftOut, own, group, jobs }: FactWishes) => {
  const said = [
    filtersLeftOut && 'only messages that match filters, which are too long for the record',
    filters && `only messages with ${filters.map(filterText).join(' or ')}`,
    own && 'its own messages, too',
    group !== undefined && `as a member of the group ${group}${jobs ? ', for jobs' : ''}`,
  ].filter((part) => typeof part === 'string');
  return said.length === 0 ? null : <>: {said.join('; ')}</>;
};

/** A filter, or several that a message needs all of. */
const filterText = (filter: string | readonly string[]): string =>
  typeof filter === 'string' ? filter : `(${filter.join(' and ')})`;

const Topics = ({ subscriptions }: { readonly subscriptions: NonNullable<Fact['subscriptions']> }) => (
  <>
    {subscriptions.map((subscription, index) => (
      <span key={`${subscription.scope} ${subscription.topic}`}>
        {index > 0 && ', '}
        <Topic {...subscription} />
      </span>
    ))}
  </>
);
