import { parseAllDocuments } from 'yaml';
import type { Given, GivenActor, GivenGrant } from '../world/given.js';
import { type Fields, isFields } from './match.js';
import type { Scenario, Step } from './scenario.js';

/** The fields that a step must have, and those that it may have. */
export interface StepShape {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether it holds steps itself, in `steps`. */
  readonly isNested?: boolean;
}

export type StepShapes = Readonly<Record<string, StepShape>>;

/** Enough for most scenarios. */
const usual = {
  topics: { lines: {}, log: { history: {} } },
  rooms: ['lobby'],
  actors: { ann: 'user', ben: 'user' },
};

/** The scenarios of a file, each a document of its own. Throws where one is not as the steps have it. */
export const parseScenarios = (text: string, shapes: StepShapes): Scenario[] =>
  parseAllDocuments(text).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return parseScenario(document.toJS() as unknown, shapes);
  });

const parseScenario = (value: unknown, shapes: StepShapes): Scenario => {
  const fields = asFields(value, 'A scenario');
  const name = asText(fields['name'], 'The name of a scenario');
  try {
    assertKnown(fields, ['name', 'title', 'needs', 'ignores', 'given', 'steps']);
    return {
      name,
      title: asText(fields['title'], 'title'),
      needs: asTexts(fields['needs'] ?? [], 'needs'),
      ignores: asTexts(fields['ignores'] ?? [], 'ignores'),
      given: parseGiven(asFields(fields['given'] ?? {}, 'given')),
      steps: parseSteps(fields['steps'], shapes, ''),
    };
  } catch (error) {
    throw new Error(`Scenario ${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
};

const parseGiven = (given: Fields): Given => {
  assertKnown(given, [
    ...['app', 'topics', 'rooms', 'actors', 'scopes', 'grants', 'hydration', 'settings', 'server'],
  ]);
  return {
    app: asFields(given['app'] ?? {}, 'app'),
    topics: mapped(given['topics'] ?? usual.topics, 'topics', (config) => asFields(config, 'a topic')),
    rooms: asTexts(given['rooms'] ?? usual.rooms, 'rooms'),
    actors: mapped(given['actors'] ?? usual.actors, 'actors', parseActor),
    scopes: asTexts(given['scopes'] ?? [], 'scopes'),
    grants: asList(given['grants'] ?? [], 'grants').map(parseGrant),
    hydration: given['hydration'],
    settings: mapped(given['settings'] ?? {}, 'settings', String),
    hasOwnServer: given['server'] === 'own',
  };
};

const parseActor = (actor: unknown): GivenActor => {
  if (typeof actor === 'string') return { actorType: actor };
  const { type, scope } = asFields(actor, 'an actor');
  return {
    actorType: asText(type, 'type'),
    ...(scope === undefined ? {} : { scope: asText(scope, 'scope') }),
  };
};

const parseGrant = (value: unknown): GivenGrant => {
  const { room, actor, ...fields } = asFields(value, 'a grant');
  return {
    room: asText(room, 'room'),
    fields,
    ...(actor === undefined ? {} : { actor: asText(actor, 'actor') }),
  };
};

const parseSteps = (value: unknown, shapes: StepShapes, within: string): Step[] =>
  asList(value, 'steps').map((step, index) => parseStep(step, shapes, `${within}${index + 1}`));

const parseStep = (value: unknown, shapes: StepShapes, place: string): Step => {
  const [[name, given] = ['', undefined], ...others] = Object.entries(asFields(value, `Step ${place}`));
  const shape = shapes[name];
  if (shape === undefined || others.length > 0)
    throw new Error(`Step ${place} is not one of the steps that there are: ${name}`);
  // `cut: ann` is short for `cut: { client: ann }`.
  const [first = ''] = shape.required;
  const fields = isFields(given) ? given : { [first]: given };
  const missing = shape.required.filter((field) => fields[field] === undefined);
  if (missing.length > 0) throw new Error(`Step ${place} (${name}) lacks ${missing.join(', ')}`);
  assertKnown(fields, [...shape.required, ...shape.optional], `Step ${place} (${name})`);
  if (!shape.isNested) return { name, fields, place };
  return { name, fields: { ...fields, steps: parseSteps(fields['steps'], shapes, `${place}.`) }, place };
};

const assertKnown = (fields: Fields, known: readonly string[], where = 'It'): void => {
  const unknown = Object.keys(fields).filter((field) => !known.includes(field));
  if (unknown.length > 0) throw new Error(`${where} has unknown fields: ${unknown.join(', ')}`);
};

const asFields = (value: unknown, what: string): Fields => {
  if (!isFields(value)) throw new TypeError(`${what} is no object`);
  return value;
};

const asList = (value: unknown, what: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw new TypeError(`${what}: no list`);
  return value;
};

const asText = (value: unknown, what: string): string => {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${what}: no text`);
  return value;
};

const asTexts = (value: unknown, what: string): string[] =>
  asList(value, what).map((item) => asText(item, what));

const mapped = <T>(value: unknown, what: string, one: (item: unknown) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(asFields(value, what)).map(([name, item]) => [name, one(item)]));
