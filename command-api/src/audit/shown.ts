import { withoutSecrets, type Json } from './recordStates.js';

/** Stands for a value that the history does not show. */
export const hidden = '[hidden]';

type Show = (value: unknown) => unknown;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const eachOf =
  (show: Show): Show =>
  (value) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, show(each)]))
      : value;

const fieldsOf =
  (shows: Readonly<Record<string, Show>>): Show =>
  (value) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, each]) => [
            name,
            Object.hasOwn(shows, name) ? (shows[name] as Show)(each) : each,
          ]),
        )
      : value;

const hide: Show = (value) => (value === undefined ? undefined : hidden);

/** Backends are also given their credentials in the query. */
const withoutQuery: Show = (url) => {
  if (typeof url !== 'string') return url;
  const [address = '', ...fragment] = url.split('#');
  const start = address.indexOf('?') + 1;
  if (start === 0) return url;
  const parameters = address.slice(start).split('&').map(withoutValue);
  return [address.slice(0, start) + parameters.join('&'), ...fragment].join('#');
};

const withoutValue = (parameter: string): string => parameter.slice(0, parameter.indexOf('=') + 1) + hidden;

const webhook = fieldsOf({ url: withoutQuery, headers: eachOf(hide) });
const ofTopic = fieldsOf({ webhooks: eachOf(webhook) });
const payload = { requestHeaders: eachOf(hide), requestBody: hide };
const configuration = {
  hydrationWebhook: webhook,
  triggerWebhook: webhook,
  topicConfigs: eachOf(ofTopic),
  config: fieldsOf({ eventWebhook: webhook }),
};

/** Fields of records and events with something in them that is not shown. */
const fields: Readonly<Record<string, Show>> = {
  ...configuration,
  ...payload,
  changes: fieldsOf(configuration),
  definition: fieldsOf(configuration),
  // Of a dead letter, in whose event it was once.
  payload: fieldsOf(payload),
  url: withoutQuery,
};

/**
 * A record, or the data of an event, as the history shows it: without hashes and encrypted secrets, and with the names of
 * webhook headers and of query parameters but not their values.
 */
export const shown = (data: object): Json => fieldsOf(fields)(withoutSecrets(data)) as Json;

/** What a webhook call sent, as whoever may read but not change anything sees it. */
export const shownCall = fieldsOf({ url: withoutQuery, requestHeaders: eachOf(hide) }) as <T extends object>(
  call: T,
) => T;

/** The value of a field, named by a JSON Pointer, as the history shows it. */
export const shownAt = (pointer: string, value: unknown): unknown => {
  const names = pointer.split('/').slice(1).map(unescaped);
  const record = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return names.reduce<unknown>(
    (outer, name) => (isObject(outer) ? outer[name] : outer),
    shown(record as Json),
  );
};

const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');
