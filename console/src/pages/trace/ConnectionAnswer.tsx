import { FactSentence } from '../../connection-facts/FactSentence.js';
import { Link } from 'wouter';
import { usePathTo } from '../../app/paths.js';
import { counted } from '../../components/dataText.js';
import { Details } from '../../components/Details.js';
import { Time } from '../../components/Time.js';
import { outcomeTexts } from './outcomes.js';
import type { TracedConnection } from './queries.js';

/** For one connection: what it was to get, and the facts by which that is known. */
export const ConnectionAnswer = ({ connection }: { readonly connection: TracedConnection }) => {
  const pathTo = usePathTo();
  const { connectionId, connectedAt, closedAt, outcome, explanation, evidence } = connection;
  return (
    <div className="traced-connection">
      <p>
        <Link href={pathTo('connections', connectionId)}>
          Connection of <Time at={connectedAt} exact />
        </Link>
        {closedAt !== null && (
          <span className="muted">
            , closed <Time at={closedAt} exact />
          </span>
        )}
        : {outcomeTexts[outcome]}
      </p>
      <p className="muted">{explanation}</p>
      {evidence.length > 0 && (
        <Details
          label={`${factsOf(evidence.length)}: evidence of the connection of ${connectedAt}`}
          title={factsOf(evidence.length)}
        >
          <ol className="evidence">
            {evidence.map(({ fact, connectionId: of }, index) => (
              <li key={index}>
                <span className="timeline-time">
                  <Time at={fact.at} exact />
                </span>
                <span>
                  <FactSentence fact={fact} />
                  {of !== connectionId && <OtherConnection connectionId={of} />}
                </span>
              </li>
            ))}
          </ol>
        </Details>
      )}
    </div>
  );
};

const factsOf = (count: number): string => counted(count, 'fact');

/** Of a job, which another member was given. */
const OtherConnection = ({ connectionId }: { readonly connectionId: string }) => {
  const pathTo = usePathTo();
  return (
    <>
      {' '}
      <Link href={pathTo('connections', connectionId)}>That connection</Link>
    </>
  );
};
