import { counted } from '../components/dataText.js';
import { closedConnections, type Impact, type ImpactRow } from './impact.js';

const subscriptions = (count: number): string => counted(count, 'subscription');

const endText = (impact: Impact): string => {
  const connections = closedConnections(impact);
  const closes = connections > 0 ? `close ${counted(connections, 'connection')}` : undefined;
  const ends = impact.total > 0 || !closes ? `end ${subscriptions(impact.total)}` : undefined;
  return [closes, ends].filter(Boolean).join(' and ');
};

const ruleText = (rule: string): string => rule.replaceAll('_', ' ');

/** Whom a change would cut off, the most affected first. */
export const ImpactShown = ({ impact }: { readonly impact: Impact | undefined }) => {
  if (impact === undefined)
    return (
      <p className="notice warn">
        Whom this would cut off could not be found out: not every gateway answered.
      </p>
    );
  const { data, total } = impact;
  const shown = data.reduce((sum, { connections }) => sum + connections, 0);
  return (
    <div className="stack">
      <p className="notice warn">This would {endText(impact)} now.</p>
      {data.length > 0 && (
        <ul className="impact" aria-label="Whom it would cut off">
          {data.map((row) => (
            <li key={`${row.actorTokenId} ${row.address} ${row.scope ?? ''}`}>
              <Who {...row} />
            </li>
          ))}
        </ul>
      )}
      {total > shown && <p className="muted">And {subscriptions(total - shown)} more.</p>}
    </div>
  );
};

const Who = ({ name, actorTokenId, connections, address, scope, rule }: ImpactRow) => (
  <>
    <strong>{name ?? actorTokenId}</strong>{' '}
    {connections > 1 && <span className="muted">× {connections}</span>}
    <br />
    <code>{address}</code> {scope !== null && <span className="muted">in {scope}</span>}{' '}
    <span className="muted">({ruleText(rule)})</span>
  </>
);
