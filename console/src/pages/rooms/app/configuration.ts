import type { FormValues } from '../../../components/formValues.js';
import { isSame } from '../edit.js';
import type { App, AppChanges } from '../model.js';
import { webhookOf } from './WebhookFields.js';

/** What counts where a setting is absent. */
const defaults = new Map<string, unknown>([
  ['accessMode', 'open'],
  ['autoProvisionRooms', false],
  ['lobbies', []],
  ['eventWebhook', null],
]);

/** The configuration as the form has it. What no field has stays as it was, and what was absent is so unless it was entered. */
export const configurationOf = (values: FormValues, former: App): AppChanges => {
  const { config, triggerWebhook, hydrationWebhook } = former;
  const settings = {
    accessMode: values.text('config.accessMode'),
    autoProvisionRooms: values.flag('config.autoProvisionRooms'),
    lobbies: values.json('config.lobbies') ?? [],
    eventWebhook: eventWebhookOf(values, config.eventWebhook),
  };
  const given = Object.entries(settings).filter(
    ([name, value]) => name in config || !isSame(value, defaults.get(name)),
  );
  const changes = {
    config: { ...config, ...Object.fromEntries(given) },
    triggerWebhook: webhookOf(values, 'triggerWebhook', triggerWebhook) ?? null,
    hydrationWebhook: webhookOf(values, 'hydrationWebhook', hydrationWebhook) ?? null,
  };
  // The service checks what was entered, and says at which field it is wrong.
  return changes as AppChanges;
};

const eventWebhookOf = (values: FormValues, former: App['config']['eventWebhook']): object | null => {
  const webhook = webhookOf(values, 'config.eventWebhook', former);
  const events = values.list('config.eventWebhook.events');
  const lingerSeconds = values.number('config.eventWebhook.lingerSeconds');
  return webhook
    ? {
        ...webhook,
        ...(events.length > 0 && { events }),
        ...(lingerSeconds !== undefined && { lingerSeconds }),
      }
    : null;
};
