import { Ajv, type ValidateFunction } from 'ajv';
import { describeAsyncApi, messageIds } from '@roomwire/shared/wire/asyncapi/describeAsyncApi';

type Side = keyof typeof messageIds;

interface Document {
  readonly channels: {
    readonly socket: {
      readonly messages: Readonly<Record<string, { readonly payload: object } | undefined>>;
    };
  };
}

const { messages } = (describeAsyncApi() as unknown as Document).channels.socket;

/** Formats are for readers; what is not in the schema must not be in a frame. */
const ajv = new Ajv({ strict: false, validateFormats: false });
const validators = new Map<string, ValidateFunction>();

const validatorOf = (id: string): ValidateFunction | undefined => {
  const message = messages[id];
  const known = validators.get(id);
  if (known !== undefined || message === undefined) return known;
  const validator = ajv.compile(sealed(message.payload) as object);
  validators.set(id, validator);
  return validator;
};

/** Readers of the description pass over unknown fields; a frame of ours has none. */
const sealed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(sealed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, sealed(value)]));
  return 'properties' in inner && 'required' in inner ? { ...inner, additionalProperties: false } : inner;
};

/** Throws for a decoded frame that the AsyncAPI document does not have, or has otherwise. */
export const expectDescribed = (side: Side, frame: unknown): void => {
  const type = String((frame as { readonly type?: unknown }).type);
  const validator = validatorOf(messageIds[side](type));
  if (validator === undefined) throw new Error(`The AsyncAPI document has no ${side} frame ${type}`);
  if (validator(frame)) return;
  const why = ajv.errorsText(validator.errors);
  throw new Error(`Not as the AsyncAPI document has it: ${why}: ${JSON.stringify(frame)}`);
};
