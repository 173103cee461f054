import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from 'lucide-react';
import { Link } from 'wouter';
import { usePathTo } from '../../app/paths.js';
import { ChangeLine } from '../../components/ChangeLine.js';
import { ConnectionAnswer } from './ConnectionAnswer.js';
import { outcomeTexts, outcomeTones } from './outcomes.js';
import type { TracedActor } from './queries.js';

interface ActorAnswerProps {
  readonly actor: TracedActor;
  readonly topic: string;
  /** Of the message; null where it is not known. */
  readonly at: string | null;
}

const icons: Readonly<Record<'good' | 'bad' | 'warn', LucideIcon>> = {
  good: CircleCheck,
  bad: CircleX,
  warn: CircleHelp,
};

/** For one actor: the outcome in words first, then what it rests on. */
export const ActorAnswer = ({ actor, topic, at }: ActorAnswerProps) => {
  const pathTo = usePathTo();
  const { actorTokenId, name, keyId, outcome, explanation, rule, event, members, connections } = actor;
  const tone = outcomeTones[outcome];
  const Icon = icons[tone];
  const called = name ?? keyId ?? actorTokenId;
  return (
    <article className={`outcome panel ${tone}`} aria-label={called}>
      <Icon aria-hidden size={20} />
      <div className="traced-actor">
        <h3>
          {called}: {outcomeTexts[outcome]}
        </h3>
        <p>{explanation}</p>
        {rule !== null && (
          <p>
            Rule <code>{rule}</code>
            {event && (
              <>
                , made so by <ChangeLine change={event} />
              </>
            )}
          </p>
        )}
        {members.map((member) => (
          <p key={`${member.connectionId} ${member.delivery}`}>
            It was given to <Link href={pathTo('connections', member.connectionId)}>another connection</Link>
            {member.delivery > 1 && `, delivery ${member.delivery}`}.
          </p>
        ))}
        {connections.map((connection) => (
          <ConnectionAnswer key={connection.connectionId} connection={connection} />
        ))}
        {actor.hasMoreConnections && (
          <p className="muted">It had further connections, which were not looked at.</p>
        )}
        <p className="record-links">
          <Link href={pathTo('connections', { actorId: actorTokenId })}>Its connections</Link>
          <Link href={pathTo('explain', { actor: actorTokenId, address: topic, at: at ?? undefined })}>
            What it may do there
          </Link>
          <Link href={pathTo('audit', { resourceId: actorTokenId })}>Its changes</Link>
        </p>
      </div>
    </article>
  );
};
