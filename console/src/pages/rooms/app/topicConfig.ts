import type { FormValues } from '../../../components/formValues.js';
import type { TopicConfig } from '../model.js';
import { webhookOf } from './WebhookFields.js';

type At = (path: string) => string;

/** The settings of a topic as `TopicFields` have them. What no field has stays as it was. */
export const configOf = (values: FormValues, at: At, former: TopicConfig): TopicConfig => {
  const history = historyOf(values, at, former.history);
  const logging = loggingOf(values, at, former.logging);
  const webhooks = webhooksOf(values, at, former.webhooks);
  return {
    ...(history !== undefined && { history }),
    ...(logging && { logging }),
    ...(webhooks && { webhooks }),
  };
};

const historyOf = (values: FormValues, at: At, former: TopicConfig['history']): TopicConfig['history'] => {
  if (!values.flag('hasHistory')) return former === null ? null : undefined;
  const [messages, seconds] = [values.number(at('history.messages')), values.number(at('history.seconds'))];
  return { ...(messages !== undefined && { messages }), ...(seconds !== undefined && { seconds }) };
};

const loggingOf = (values: FormValues, at: At, former: TopicConfig['logging']): TopicConfig['logging'] => {
  if (!values.flag('isLogged')) return former && { ...former, enabled: false };
  const retention = values.text(at('logging.retention')) as 'tier';
  const isDefault = retention === 'tier' && former?.retention === undefined;
  return {
    ...(!former?.enabled && { replayEnabled: true }),
    ...former,
    enabled: true,
    ...(!isDefault && { retention }),
  };
};

const webhooksOf = (values: FormValues, at: At, former: TopicConfig['webhooks']): TopicConfig['webhooks'] => {
  const onPublish = webhookOf(values, at('webhooks.onPublish'), former?.onPublish);
  const onSubscribe = webhookOf(values, at('webhooks.onSubscribe'), former?.onSubscribe);
  if (!former && !onPublish && !onSubscribe) return undefined;
  return { ...(onPublish && { onPublish }), ...(onSubscribe && { onSubscribe }) };
};
