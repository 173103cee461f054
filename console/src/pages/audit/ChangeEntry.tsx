import { Link } from 'wouter';
import { Details } from '../../components/Details.js';
import { eventTitle } from '../../components/eventTitle.js';
import { Identifier } from '../../components/Identifier.js';
import { Json } from '../../components/Json.js';
import { Principal } from '../../components/Principal.js';
import { recordPath } from './recordPath.js';
import type { AuditEvent } from './queries.js';

/** A change on the time line: in a sentence, and all of it for whoever opens it. */
export const ChangeEntry = ({ change }: { readonly change: AuditEvent }) => {
  const { type, principal, data, resourceIds, eventId, requestId, occurredAt } = change;
  const title = eventTitle(type);
  const fields = changedFields(data);
  return (
    <>
      <p className="timeline-title">
        <strong>{title}</strong>
        <span className="muted">
          by <Principal principal={principal} />
          {fields.length > 0 && <>: {fields.join(', ')}</>}
        </span>
      </p>
      <Details label={`Details of ${title}, ${occurredAt}`}>
        <div className="timeline-detail">
          <dl className="facts">
            {resourceIds.map((id) => (
              <Record key={id} id={id} at={occurredAt} />
            ))}
            <dt>Type</dt>
            <dd>
              <code>{type}</code>
            </dd>
            <dt>Request</dt>
            <dd>
              <Identifier value={requestId} what="id of the request" />
            </dd>
            <dt>Event</dt>
            <dd>
              <Identifier value={eventId} what="id of the event" />
            </dd>
          </dl>
          <Json value={data} label={`Data of ${title}`} />
        </div>
      </Details>
    </>
  );
};

const Record = ({ id, at }: { readonly id: string; readonly at: string }) => (
  <>
    <dt>Record</dt>
    <dd className="record-links">
      <Identifier value={id} what="id of the record" />
      <Link href={recordPath({ resourceId: id, from: justBefore(at), to: at })}>What it changed</Link>
      <Link href={recordPath({ resourceId: id, to: at })}>As it was then</Link>
      <Link href={`/?resourceId=${id}`}>All its changes</Link>
    </dd>
  </>
);

/** A state is that at the end of its millisecond. */
const justBefore = (at: string): string => new Date(Date.parse(at) - 1).toISOString();

/** The names of what a change set, where its event says so. */
const changedFields = ({ changes }: AuditEvent['data']): readonly string[] =>
  typeof changes === 'object' && changes !== null ? Object.keys(changes) : [];
