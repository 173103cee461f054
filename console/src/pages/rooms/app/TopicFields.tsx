import { useState } from 'react';
import { useSchemaHelp } from '../../../api/schemaHelp.js';
import { CheckboxField, SelectField, TextField } from '../../../components/fields.js';
import type { TopicConfig } from '../model.js';
import { WebhookFields } from './WebhookFields.js';

interface TopicFieldsProps {
  readonly config: TopicConfig;
  /** The name of the field at a path in the settings. */
  readonly at: (path: string) => string;
}

const retentions = [
  { id: 'tier', title: 'As the plan has it' },
  { id: '1d', title: '1 day' },
  { id: '7d', title: '7 days' },
  { id: '30d', title: '30 days' },
  { id: '90d', title: '90 days' },
] as const;

/** The fields that `configOf` reads. */
export const TopicFields = ({ config, at }: TopicFieldsProps) => {
  const help = useSchemaHelp('TopicConfigInput');
  const [hasHistory, setHasHistory] = useState(Boolean(config.history));
  const [isLogged, setLogged] = useState(config.logging?.enabled ?? false);
  return (
    <>
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
            description={help('history.seconds') ?? 'Up to 7,776,000, which is 90 days; a day unless given.'}
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
    </>
  );
};
