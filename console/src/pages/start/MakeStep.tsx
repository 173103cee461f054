import { answerOf } from '../../api/failure.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import { useProject } from '../../session/console.js';
import type { Spot } from '../live/model.js';

interface MakeStepProps {
  readonly made: Spot | undefined;
  readonly onMade: (spot: Spot) => void;
}

export const MakeStep = ({ made, onMade }: MakeStepProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  if (made !== undefined)
    return (
      <p>
        Messages go to <code>{made.address}</code>: the app, its room, and a topic that each room of the app
        has. For a day it keeps what is published, so that nobody who was away misses it.
      </p>
    );
  return (
    <Form
      submit="Make them"
      onSubmit={async (values) => {
        const topic = values.text('topics');
        const app = await answerOf(
          api.POST('/apps', {
            body: { name: values.text('name'), topics: [topic], topicConfigs: { [topic]: { history: {} } } },
          }),
        );
        const room = await answerOf(
          api.POST('/apps/{appId}/rooms', {
            params: { path: { appId: app.appId } },
            body: { name: values.text('room') },
          }),
        );
        onMade({
          ...{ appId: app.appId, roomId: room.roomId, topic, address: `${app.slug}/${room.slug}/${topic}` },
          ...{ scope: undefined, filters: [], hasHistory: true },
        });
        await readAgain();
      }}
    >
      <div className="field-row">
        <TextField name="name" label="App" defaultValue="My first app" isRequired autoComplete="off" />
        <TextField name="room" label="Room" defaultValue="Lobby" isRequired autoComplete="off" />
        <TextField name="topics" label="Topic" defaultValue="chat" isRequired autoComplete="off" isCode />
      </div>
    </Form>
  );
};
