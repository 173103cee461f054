import { useState } from 'react';
import { Dialog } from '../../../components/Dialog.js';
import { Form } from '../../../components/Form.js';
import type { FormValues } from '../../../components/formValues.js';
import { toast } from '../../../components/Toast.js';
import type { App } from '../model.js';
import { configOf } from './topicConfig.js';
import { settingsEdit } from './topicEdits.js';
import { TopicFields } from './TopicFields.js';
import { useAppChange } from './useAppChange.js';
import { useFieldNames } from './WebhookFields.js';

interface TopicDialogProps {
  readonly app: App;
  readonly topic: string;
  readonly onClose: () => void;
}

/** What is kept of a topic's messages, and what is called for them. */
export const TopicDialog = ({ app, topic, onClose }: TopicDialogProps) => {
  const at = useFieldNames(`topicConfigs.${topic}`);
  // The fields keep what they began with, whatever the page reads meanwhile.
  const [shown, show] = useState(app);
  const config = shown.topicConfigs[topic] ?? {};
  const { change, question } = useAppChange(shown, (now) => {
    if (now.topics.includes(topic)) return show(now);
    onClose();
    toast(`Somebody else has removed ${topic} meanwhile`);
  });

  const save = async (values: FormValues): Promise<void> => {
    const isDone = await change(settingsEdit(topic, configOf(values, at, config)), `Change ${topic}?`);
    if (!isDone) return;
    onClose();
    toast(`${topic} is changed`);
  };

  return (
    <>
      <Dialog title={`Settings of ${topic}`} isOpen onClose={onClose}>
        <Form submit="Save" onCancel={onClose} onSubmit={save}>
          <TopicFields key={shown.updatedAt} config={config} at={at} />
        </Form>
      </Dialog>
      {question}
    </>
  );
};
