import { useState } from 'react';
import { useSchemaHelp } from '../../../api/schemaHelp.js';
import { Dialog } from '../../../components/Dialog.js';
import { CheckboxField, SelectField, TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import type { FormValues } from '../../../components/formValues.js';
import { toast } from '../../../components/Toast.js';
import type { App, TopicConfig } from '../model.js';
import { useAppChange } from './useAppChange.js';
import { useFieldNames, WebhookFields, webhookOf } from './WebhookFields.js';

interface TopicDialogProps {
  readonly app: App;
  readonly topic: string;
  readonly onClose: () => void;
}

const retentions = [
  { id: 'tier', title: 'As the plan has it' },
  { id: '1d', title: '1 day' },
  { id: '7d', title: '7 days' },
  { id: '30d', title: '30 days' },
  { id: '90d', title: '90 days' },
] as const;

/** What is kept of a topic's messages, and what is called for them. */
export const TopicDialog = ({ app, topic, onClose }: TopicDialogProps) => {
  const help = useSchemaHelp('TopicConfigInput');
  const at = useFieldNames(`topicConfigs.${topic}`);
  const config: TopicConfig = app.topicConfigs[topic] ?? {};
  const { change, question } = useAppChange(app);
  const [hasHistory, setHasHistory] = useState(Boolean(config.history));
  const [isLogged, setLogged] = useState(config.logging?.enabled ?? false);

  const save = async (values: FormValues): Promise<void> => {
    const topicConfigs = { ...app.topicConfigs, [topic]: configOf(values, at, { hasHistory, isLogged }) };
    const isDone = await change({ topicConfigs }, `Change ${topic}?`);
    if (!isDone) return;
    onClose();
    toast(`${topic} is changed`);
  };

  return (
    <>
      <Dialog title={`Settings of ${topic}`} isOpen onClose={onClose}>
        <Form submit="Save" onCancel={onClose} onSubmit={save}>
          <CheckboxField
            name="hasHistory"
            label="Keep a history"
            description="Clients may ask for earlier messages, and go on where they were after a break."
            isSelected={hasHistory}
            onChange={setHasHistory}
          />
          {config.history && !hasHistory && (
            <p className="notice warn">What has been kept of this topic is deleted, in every room.</p>
          )}
          {hasHistory && (
            <div className="field-row">
              <TextField
                name={at('history.messages')}
                label="Messages at most"
                description={help('history.messages') ?? 'Of each room, 1 to 100,000; 1,000 unless given.'}
                type="number"
                defaultValue={config.history?.messages?.toString()}
              />
              <TextField
                name={at('history.seconds')}
                label="Seconds at most"
                description={
                  help('history.seconds') ?? 'Up to 7,776,000, which is 90 days; a day unless given.'
                }
                type="number"
                defaultValue={config.history?.seconds?.toString()}
              />
            </div>
          )}
          <CheckboxField
            name="isLogged"
            label="Record messages for worker groups and replay"
            description="Needs the message recording of the service."
            isSelected={isLogged}
            onChange={setLogged}
          />
          {isLogged && (
            <SelectField
              name={at('logging.retention')}
              label="Kept for"
              choices={retentions}
              defaultValue={config.logging?.retention ?? 'tier'}
            />
          )}
          <WebhookFields
            title="Called for each publish"
            name={at('webhooks.onPublish')}
            webhook={config.webhooks?.onPublish}
            isTrigger
          />
          <WebhookFields
            title="Called for each subscribe"
            name={at('webhooks.onSubscribe')}
            webhook={config.webhooks?.onSubscribe}
          />
        </Form>
      </Dialog>
      {question}
    </>
  );
};

/** What no field of the form has stays as it is. */
const configOf = (
  values: FormValues,
  at: (path: string) => string,
  { hasHistory, isLogged }: { readonly hasHistory: boolean; readonly isLogged: boolean },
): TopicConfig => {
  const [onPublish, onSubscribe] = [
    webhookOf(values, at('webhooks.onPublish')),
    webhookOf(values, at('webhooks.onSubscribe')),
  ];
  const webhooks = { ...(onPublish && { onPublish }), ...(onSubscribe && { onSubscribe }) };
  const [messages, seconds] = [values.number(at('history.messages')), values.number(at('history.seconds'))];
  const history = { ...(messages !== undefined && { messages }), ...(seconds !== undefined && { seconds }) };
  const retention = (values.optional(at('logging.retention')) ?? 'tier') as 'tier';
  return {
    ...(hasHistory && { history }),
    ...(isLogged && { logging: { enabled: true, retention, replayEnabled: true } }),
    ...(Object.keys(webhooks).length > 0 && { webhooks }),
  };
};
