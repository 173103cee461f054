import { useState } from 'react';
import { Link } from 'wouter';
import { usePathTo } from '../../app/paths.js';
import { EmptyState } from '../../components/EmptyState.js';
import { PageHeader } from '../../components/PageHeader.js';
import { useMay } from '../../session/console.js';
import type { Spot } from '../live/model.js';
import { MakeStep } from './MakeStep.js';
import { OwnClientStep } from './OwnClientStep.js';
import { Step } from './Step.js';
import { WatchStep } from './WatchStep.js';

/** From nothing to a message that is seen, on one page. */
export const StartPage = () => {
  const [spot, setSpot] = useState<Spot>();
  const [hasSeen, setSeen] = useState(false);
  const mayEdit = useMay('editor');
  const pathTo = usePathTo();
  if (!mayEdit)
    return (
      <>
        <PageHeader title="First steps" />
        <EmptyState title="Your session may look, and change nothing">
          The first steps make an app. Ask an admin for a session with the role editor.
        </EmptyState>
      </>
    );
  return (
    <>
      <PageHeader title="First steps">A minute from nothing to the first message.</PageHeader>
      <ol className="steps">
        <Step number={1} title="Make an app with a room" state={spot ? 'done' : 'current'}>
          <MakeStep made={spot} onMade={setSpot} />
        </Step>
        <Step
          number={2}
          title="Publish a message, and see it come"
          state={hasSeen ? 'done' : spot ? 'current' : 'later'}
        >
          {spot && <WatchStep spot={spot} onSeen={() => setSeen(true)} />}
        </Step>
        <Step number={3} title="Connect a client of your own" state={hasSeen ? 'current' : 'later'}>
          {spot && hasSeen && <OwnClientStep spot={spot} />}
        </Step>
      </ol>
      {spot && hasSeen && (
        <p className="steps-next">
          That is all it takes. Go on in the{' '}
          <Link href={pathTo('live', { app: spot.appId, room: spot.roomId, topic: spot.topic })}>
            live room
          </Link>
          , or <Link href={pathTo('rooms', spot.appId)}>configure the app</Link>: who may enter, what is kept,
          which webhooks are called.
        </p>
      )}
    </>
  );
};
