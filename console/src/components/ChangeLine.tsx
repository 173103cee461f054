import type { components } from '@roomwire/server';
import { Link } from 'wouter';
import { usePathTo } from '../app/paths.js';
import { eventTitle } from './eventTitle.js';
import { Principal } from './Principal.js';
import { Time } from './Time.js';

type Change = components['schemas']['Change'];

/** A change, in a line: what, who, when. Leads to it on the time line. */
export const ChangeLine = ({ change }: { readonly change: Change }) => {
  const pathTo = usePathTo();
  const { type, occurredAt, principal } = change;
  const place = { type, from: occurredAt, to: occurredAt, of: 'organization' };
  return (
    <span className="change-line">
      <Link href={pathTo('audit', place)}>{eventTitle(type)}</Link> by <Principal principal={principal} />,{' '}
      <Time at={occurredAt} exact />
    </span>
  );
};
