import { Fragment } from 'react';
import { useSchemaHelp } from '../../../api/schemaHelp.js';
import { visibleJson } from '../../../components/dataText.js';
import { CheckboxField, SelectField, TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import type { FormValues } from '../../../components/formValues.js';
import { toast } from '../../../components/Toast.js';
import { useMay } from '../../../session/console.js';
import { editOf } from '../edit.js';
import type { App } from '../model.js';
import { accessChoices } from './accessChoices.js';
import { configurationOf } from './configuration.js';
import { useAppChange } from './useAppChange.js';
import { WebhookFields } from './WebhookFields.js';

const roomEvents = ['occupied', 'vacated', 'joined', 'left'] as const;

/** Who may use the rooms, and what is called when something happens in them. */
export const AppConfiguration = ({ app }: { readonly app: App }) => {
  const help = useSchemaHelp('AppConfigInput');
  const { change, question } = useAppChange(app);
  const { config } = app;
  if (!useMay('editor')) return <ConfigurationShown app={app} />;

  const save = async (values: FormValues): Promise<void> => {
    const isDone = await change(editOf(app, configurationOf(values, app)), 'Change the configuration?');
    if (isDone) toast('The configuration is saved');
  };
  return (
    <section className="section panel" aria-labelledby="configuration">
      <h2 id="configuration">Configuration</h2>
      <Form submit="Save the configuration" onSubmit={save}>
        {/* Another version of the app has other fields; what was refused is still said above them. */}
        <Fragment key={app.updatedAt}>
          <SelectField
            name="config.accessMode"
            label="Rooms"
            choices={accessChoices}
            defaultValue={config.accessMode ?? 'open'}
          />
          <CheckboxField
            name="config.autoProvisionRooms"
            label="Make rooms when somebody subscribes"
            description="A subscribe to a room that is not there makes it, up to a thousand."
            defaultSelected={config.autoProvisionRooms ?? false}
          />
          <TextField
            name="config.lobbies"
            label="Lobbies"
            description={
              'A JSON array of lobbies, each with the rooms whose presence it shows: [{ "slug": "hall", "rooms": ["a", "b"] }]'
            }
            defaultValue={config.lobbies && JSON.stringify(config.lobbies, null, 2)}
            rows={2}
            isCode
          />
          <WebhookFields
            title="Trigger webhook: told of each publish"
            name="triggerWebhook"
            webhook={app.triggerWebhook}
            isTrigger
          />
          <WebhookFields
            title="Hydration webhook: asked for each subscribe"
            name="hydrationWebhook"
            webhook={app.hydrationWebhook}
          />
          <WebhookFields
            title="Event webhook: told who comes and goes"
            name="config.eventWebhook"
            webhook={config.eventWebhook}
            isTrigger
          >
            <div className="field-row">
              <TextField
                name="config.eventWebhook.events"
                label="Events of the event webhook"
                description={`Of ${roomEvents.join(', ')}; all of them unless given.`}
                defaultValue={config.eventWebhook?.events?.join(', ')}
                isCode
              />
              <TextField
                name="config.eventWebhook.lingerSeconds"
                label="Seconds to linger"
                description={
                  help('eventWebhook.lingerSeconds') ??
                  'Who comes back within them has not left; 5 unless given.'
                }
                type="number"
                defaultValue={config.eventWebhook?.lingerSeconds?.toString()}
              />
            </div>
          </WebhookFields>
        </Fragment>
      </Form>
      {question}
    </section>
  );
};

/** For roles that may only read. */
const ConfigurationShown = ({ app: { config, triggerWebhook, hydrationWebhook } }: { readonly app: App }) => (
  <section className="section panel" aria-labelledby="configuration">
    <h2 id="configuration">Configuration</h2>
    <pre>
      <code>{visibleJson({ config, triggerWebhook, hydrationWebhook }, 2)}</code>
    </pre>
  </section>
);
