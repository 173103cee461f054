import { Badge } from '../../components/Badge.js';
import { closeText } from '../../connection-facts/closeText.js';
import type { Connection } from './queries.js';

/** Open, or how it ended. */
export const ConnectionState = ({ connection }: { readonly connection: Connection }) => {
  if (connection.closedAt === null) return <Badge tone="good">open</Badge>;
  return (
    <>
      <Badge>closed</Badge> <span className="muted">{closeText(connection)}</span>
    </>
  );
};
