import type { IncomingMessage, ServerResponse, RequestListener } from 'node:http';
import type { Random } from '@roomwire/shared/ports/random';
import { Rejection } from '../handling/rejections.js';
import { applicationError } from './errors.js';
import type { Clock } from '@roomwire/shared/ports/clock';

const header = 'x-request-id';

/** The caller's own id where it is a UUID, otherwise a new one: it is written to events and log lines. */
const requestIdFor = ({ headers }: IncomingMessage, random: Random): string => {
  const given = headers[header];
  return typeof given === 'string' && isUuid(given) ? given : random.uuid();
};

/** Sets the id that names the request in its answer, its log lines and its events. */
export const assignRequestId = (request: IncomingMessage, response: ServerResponse, random: Random): void => {
  response.setHeader(header, requestIdFor(request, random));
};

export const requestIdOf = (response: ServerResponse): string => {
  const requestId = response.getHeader(header);
  if (typeof requestId !== 'string') throw new TypeError('The request has no id yet');
  return requestId;
};

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const actorKeyIdPattern = /^at_[A-Za-z0-9_]{1,100}$/;

export const isUuid = (text: string): boolean => uuidPattern.test(text);

export const invalidIdMessage = (name: string): string => `Invalid ${name} UUID format`;

export const isIdParameter = (name: string): boolean => name.endsWith('Id');

/** Checks the `...Id` parameters of a path before anything is looked up. UUIDs are compared in lower case. */
export const checkPathIds = (
  path: Readonly<Record<string, string>>,
  at: { id: string; now: string },
): Record<string, string> => {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(path)) {
    if (!isIdParameter(name)) checked[name] = value;
    else if (isUuid(value)) checked[name] = value.toLowerCase();
    else if (name !== 'actorId') throw applicationError(400, invalidIdMessage(name), at);
    else if (actorKeyIdPattern.test(value)) checked[name] = value;
    else throw new Rejection('actor_id_invalid', {});
  }
  return checked;
};

/** The list whose name is followed by brackets, as in `orderBy[]=…`; other lists repeat their name. */
export const bracketed = 'orderBy';

/**
 * The query of a request target as the schemas see it: `orderBy[]=…` (repeatable) becomes the array `orderBy`. A name
 * with brackets that ask for anything else becomes a value that no schema takes. Throws a URIError, with the status that
 * Express gives one of the path, for what is not UTF-8.
 */
export const readQuery = (target: string): Record<string, unknown> => {
  const mark = target.indexOf('?');
  const search = mark === -1 ? '' : target.slice(mark + 1);
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const orderBy: string[] = [];
  const parameters = new URLSearchParams(search);
  if (!isUtf8(search, parameters))
    throw Object.assign(new URIError('The query is not UTF-8'), { status: 400 });
  for (const [name, value] of parameters) {
    const [, base = name, index] = /^([^[]+)\[(.*)\]$/s.exec(name) ?? [];
    if (base === bracketed && index !== undefined && /^\d*$/.test(index)) orderBy.push(value);
    else if (index !== undefined) query[base] = [[value]];
    else query[base] = base in query ? withAnother(query[base], value) : value;
  }
  if (orderBy.length > 0) query[bracketed] = bracketed in query ? [query[bracketed], orderBy] : orderBy;
  return query;
};

/** A request may repeat a parameter thousands of times, so that the list is not copied for each. */
const withAnother = (earlier: unknown, value: string): unknown[] => {
  if (!Array.isArray(earlier)) return [earlier, value];
  earlier.push(value);
  return earlier as unknown[];
};

/** Bytes that cannot be decoded have become replacement characters, which a client may also have sent as such. */
const isUtf8 = (search: string, parameters: URLSearchParams): boolean =>
  !parameters.toString().includes('%EF%BF%BD') || /%EF%BF%BD/i.test(search);

/** A path and its query. Anything else never reaches Express, which would answer it in a shape of its own. */
const originForm = /^\/[^#\u00a0]*$/;

/** Answers 400 to a request target of any other form, and passes the others to the API. */
export const takingOriginForm =
  (api: RequestListener, { clock, random }: { clock: Clock; random: Random }): RequestListener =>
  (request, response) => {
    if (originForm.test(request.url ?? '')) return api(request, response);
    const at = { id: requestIdFor(request, random), now: new Date(clock.now()).toISOString() };
    const { status, body } = applicationError(400, 'The request target must be a path', at);
    response.statusCode = status;
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('x-request-id', at.id);
    response.end(JSON.stringify(body));
  };
