import { Buffer } from 'node:buffer';
import type { BackendMessage } from '@roomwire/shared/ports/publishing';
import { unreadable, type FrameFields } from '@roomwire/shared/wire/protocol/frameFields';
import { isSoundMessagePack } from '@roomwire/shared/wire/protocol/messagePackScan';
import type { FailedConstraint } from '../http/errors.js';
import { isUuid } from '../http/request.js';
import type { ValueOf } from '../http/schema.js';
import { constraintsOf } from '../http/validation.js';
import { newMessageSchema } from './resource.js';

const failuresOf = constraintsOf(newMessageSchema);

type Sent = ValueOf<typeof newMessageSchema>;

/** A message, or what is wrong with it. */
export type ReadMessage =
  { readonly message: BackendMessage } | { readonly failures: readonly FailedConstraint[] };

/** Reads the fields of a message; its `data` is never decoded. */
export const readMessage = (fields: FrameFields): ReadMessage => {
  const sent = sentIn(fields);
  const data = dataOf(fields, sent);
  const failures = [...failuresOf(sent), ...rulesBroken(sent, data)];
  if (failures.length > 0 || data === undefined) return { failures };
  const { topic, scope, as, filter, filters, retain, qos, id, trigger, deliverAt } = sent as Sent;
  const message = {
    topic,
    data,
    scope: normalName(scope ?? undefined),
    as: normalName(as ?? undefined),
    filter: filter ?? undefined,
    filters: filters ?? [],
    retain: retain ?? false,
    qos: (qos ?? 1) as BackendMessage['qos'],
    id: id ?? undefined,
    trigger: trigger ?? undefined,
    deliverAt: deliverAt == null ? undefined : Date.parse(deliverAt),
  };
  return { message };
};

/** An id is the same in either case; the slug of a scope and the `keyId` of an actor are not. */
const normalName = (name: string | undefined): string | undefined =>
  name !== undefined && isUuid(name) ? name.toLowerCase() : name;

/** What the schema checks: the fields that are there, those of no readable kind as objects, and `data` as if it were null. */
const sentIn = (fields: FrameFields): Readonly<Record<string, unknown>> => {
  const sent: Record<string, unknown> = {};
  for (const name of fields.names()) {
    const value = name === 'data' ? null : fields.read(name);
    if (value !== undefined) sent[name] = value === unreadable ? {} : value;
  }
  return sent;
};

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** As deep as where it stands in a message. */
const levelsAround = 1;

const dataOf = (
  fields: FrameFields,
  { base64 }: Readonly<Record<string, unknown>>,
): Uint8Array | undefined => {
  if (base64 === undefined) {
    const raw = fields.raw('data');
    // A copy: a slice that is kept would keep the whole body.
    return raw && new Uint8Array(raw);
  }
  if (typeof base64 !== 'string' || !base64Pattern.test(base64)) return undefined;
  const data = new Uint8Array(Buffer.from(base64, 'base64'));
  return isSoundMessagePack(data, levelsAround) ? data : undefined;
};

/** Beyond the schema. */
const rulesBroken = (
  sent: Readonly<Record<string, unknown>>,
  data: Uint8Array | undefined,
): readonly FailedConstraint[] => {
  const broken: FailedConstraint[] = [];
  const has = (name: string): boolean => sent[name] !== undefined;
  if (has('data') === has('base64')) broken.push(failed('', 'must have exactly one of data and base64'));
  else if (typeof sent['base64'] === 'string' && data === undefined)
    broken.push(failed('base64', 'must be the base64 of one sound MessagePack value'));
  else if (has('data') && data === undefined) broken.push(failed('data', 'must not have a key __proto__'));
  if (has('as') && has('scope')) broken.push(failed('scope', 'must not be given together with as'));
  return broken;
};

const failed = (path: string, message: string): FailedConstraint => ({ path, value: null, message });
