import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import { DataTable } from '../../components/DataTable.js';
import { previewOf } from '../../components/dataText.js';
import { Identifier } from '../../components/Identifier.js';
import { Time } from '../../components/Time.js';
import { answerOf } from '../../api/failure.js';
import { useRows } from '../../api/useRows.js';
import { useProject } from '../../session/console.js';
import type { PresentActor, Spot } from './model.js';
import { presenceSnippets } from './snippets.js';

const everyMs = 3_000;

/** The actors that announce themselves in the room. */
export const Present = ({ spot }: { readonly spot: Spot }) => {
  const { api, projectId } = useProject();
  const { appId, roomId, scope } = spot;
  const present = useRows<PresentActor>({
    queryKey: [projectId, 'presence', roomId, scope],
    read: ({ cursor }) => {
      const query = {
        limit: 100,
        ...(scope === undefined ? {} : { scope }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const params = { path: { appId, roomId }, query };
      return answerOf(api.GET('/apps/{appId}/rooms/{roomId}/presence', { params }));
    },
    refetchInterval: everyMs,
  });
  return (
    <div className="stack">
      <DataTable
        label="Actors that are present"
        query={present}
        keyOf={({ actorTokenId }) => actorTokenId}
        columns={[
          {
            title: 'Actor',
            cell: ({ actorTokenId }) => <Identifier value={actorTokenId} what="the actor id" isShort />,
          },
          { title: 'Since', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
          { title: 'Says', cell: ({ presence }) => <code>{previewOf(presence)}</code> },
        ]}
        empty={
          <p className="muted">
            Nobody is present. An actor is once its client has entered the room; to subscribe is not enough.
          </p>
        }
      />
      <CodeDisclosure label="See who is here" snippets={presenceSnippets(spot)} />
    </div>
  );
};
