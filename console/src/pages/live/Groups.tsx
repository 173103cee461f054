import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import { DataTable } from '../../components/DataTable.js';
import { Time } from '../../components/Time.js';
import { answerOf } from '../../api/failure.js';
import { useRows } from '../../api/useRows.js';
import { useProject } from '../../session/console.js';
import type { JobGroup, Spot } from './model.js';
import { groupSnippets } from './snippets.js';

const everyMs = 3_000;
const number = new Intl.NumberFormat('en');

/** The worker groups of the room, with what waits in each. */
export const Groups = ({ spot }: { readonly spot: Spot }) => {
  const { api, projectId } = useProject();
  const { appId, roomId } = spot;
  const groups = useRows<JobGroup>({
    queryKey: [projectId, 'groups', roomId],
    read: ({ cursor }) => {
      const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
      return answerOf(
        api.GET('/apps/{appId}/rooms/{roomId}/groups', { params: { path: { appId, roomId }, query } }),
      );
    },
    refetchInterval: everyMs,
  });
  return (
    <div className="stack">
      <DataTable
        label="Worker groups"
        query={groups}
        keyOf={({ groupId }) => groupId}
        columns={[
          { title: 'Group', cell: ({ name, topic }) => `${name}, of ${topic}` },
          { title: 'Waiting', align: 'end', cell: ({ depth, inFlight }) => number.format(depth - inFlight) },
          { title: 'At work', align: 'end', cell: ({ inFlight }) => number.format(inFlight) },
          { title: 'Members', align: 'end', cell: ({ members }) => number.format(members) },
          { title: 'Oldest', cell: ({ oldestAt }) => <Time at={oldestAt} none="none" /> },
        ]}
        empty={
          <p className="muted">
            The room has no worker group with jobs. A client makes one when it subscribes with jobs.
          </p>
        }
      />
      <CodeDisclosure label="List the groups" snippets={groupSnippets(spot)} />
    </div>
  );
};
