import { useLocation } from 'wouter';
import { useReadAgain } from '../../api/useReadAgain.js';
import { answerOf } from '../../api/failure.js';
import { Dialog } from '../../components/Dialog.js';
import { SelectField, TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import { toast } from '../../components/Toast.js';
import { useProject } from '../../session/console.js';
import { accessChoices } from './app/accessChoices.js';

interface NewAppDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const NewAppDialog = ({ isOpen, onClose }: NewAppDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const [, navigate] = useLocation();
  return (
    <Dialog title="New app" isOpen={isOpen} onClose={onClose}>
      <Form
        submit="Make the app"
        onCancel={onClose}
        onSubmit={async (values) => {
          const slug = values.optional('slug');
          const app = await answerOf(
            api.POST('/apps', {
              body: {
                name: values.text('name'),
                description: values.optional('description') ?? null,
                topics: values.list('topics'),
                config: { accessMode: values.text('config.accessMode') === 'private' ? 'private' : 'open' },
                ...(slug === undefined ? {} : { slug }),
              },
            }),
          );
          await readAgain();
          onClose();
          navigate(`/${app.appId}`);
          toast(`${app.name} is made`);
        }}
      >
        <TextField name="name" label="Name" isRequired autoFocus autoComplete="off" />
        <TextField
          name="slug"
          label="Slug"
          description="The first part of the addresses of its topics. Made from the name without one."
          autoComplete="off"
          isCode
        />
        <TextField
          name="topics"
          label="Topics"
          description="Of every room, separated by commas: chat, events. More can follow later."
          autoComplete="off"
          isCode
        />
        <SelectField name="config.accessMode" label="Rooms" choices={accessChoices} defaultValue="open" />
        <TextField name="description" label="Description" autoComplete="off" />
      </Form>
    </Dialog>
  );
};
