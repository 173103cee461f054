import { Ajv2020 } from 'ajv/dist/2020.js';
import { formats } from '@roomwire/command-api/http/validation';

const json = 'application/json';

interface Response {
  readonly content?: { readonly [json]: { readonly examples?: object } };
}

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
  >;
  readonly components: {
    readonly examples: Readonly<
      Record<string, { readonly value: { readonly message?: string; readonly error?: string } }>
    >;
  };
}

export interface Answer {
  readonly status: number;
  /** Undefined for an empty body. */
  // Tests look into answers freely; a wrong path fails its expectation.
  readonly body: any;
  readonly headers: Headers;
}

export interface Exchange {
  readonly method: string;
  /** Relative to `/v1`. */
  readonly path: string;
  readonly answer: Answer;
}

/** Throws where an answer is not as the API's own description says: its status, its type, its shape, its message. */
export type CheckConformance = (exchange: Exchange) => void;

let check: CheckConformance | undefined;

/** By the description that the service itself gives; all services of a run are the same. */
export const conformanceOf = async (baseUrl: string): Promise<CheckConformance> => {
  if (check !== undefined) return check;
  const response = await fetch(`${baseUrl}/v1/openapi.json`);
  if (!response.ok) throw new Error(`The service does not describe itself: ${response.status}`);
  return (check ??= createCheck((await response.json()) as Description));
};

const createCheck = (description: Description): CheckConformance => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats });
  ajv.addSchema(description, 'api');
  const findTemplate = templateFinder(Object.keys(description.paths));

  const problemOf = ({ method, path, answer }: Exchange): string | undefined => {
    const { status, headers, body } = answer;
    if (!headers.has('x-request-id')) return 'the request has no id';
    // Of no endpoint: 404, or a browser's question about origins.
    if (method === 'OPTIONS') return [204, 404].includes(status) ? undefined : 'OPTIONS was not refused';
    const template = findTemplate(path.split('?')[0] ?? '');
    if (template === undefined) return status < 400 ? 'the path is not described' : undefined;
    const operation = description.paths[template]?.[method.toLowerCase()];
    if (operation === undefined) return status === 405 ? undefined : 'the method is not described';
    const response = operation.responses[`${status}`];
    if (response === undefined) return 'the status is not described';
    if (response.content === undefined) return body === undefined ? undefined : 'the body is not described';
    if (!headers.get('content-type')?.startsWith('application/json')) return 'it is not sent as JSON';
    const pointer = [
      'paths',
      template,
      method.toLowerCase(),
      'responses',
      `${status}`,
      'content',
      json,
      'schema',
    ];
    const validate = ajv.getSchema(`api#/${pointer.map(escaped).join('/')}`);
    if (validate?.(body) !== true) return `it is not as described: ${ajv.errorsText(validate?.errors)}`;
    const isKnown =
      status < 400 || messagesOf(response, description).some((known) => known.test(textOf(body)));
    return isKnown ? undefined : 'the message is not described';
  };

  return (exchange) => {
    const problem = problemOf(exchange);
    if (problem === undefined) return;
    const { method, path, answer } = exchange;
    const body = JSON.stringify(answer.body)?.slice(0, 500);
    throw new Error(`${method} ${path} was answered ${answer.status} ${body}: ${problem}`);
  };
};

/** Of two templates that match, the one with fewer parameters is meant. */
const templateFinder = (templates: readonly string[]) => {
  const rows = [...templates]
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  return (pathname: string) => rows.find(({ pattern }) => pattern.test(pathname))?.template;
};

const escaped = (part: string): string =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** An error of the socket's protocol has no message. */
const textOf = ({ message, error }: { readonly message?: string; readonly error?: string }): string =>
  message ?? error ?? '';

/** The messages of the examples, whatever the ids, slugs and numbers in them. */
const messagesOf = ({ content }: Response, { components }: Description): RegExp[] =>
  Object.keys(content?.[json].examples ?? {}).map((name) => {
    const message = textOf(components.examples[name]?.value ?? {});
    const pattern = message
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]+){4}|\d+\\\.\d+\\\.\d+/g, '\\S+')
      .replace(/"[^"]*"/, '"[^"]*"')
      .replace(/\b\d+\b/g, '\\d+');
    return new RegExp(`^${pattern}$`);
  });
