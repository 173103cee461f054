import { expect } from 'chai';
import { projectRoute } from '../../src/http/route.js';
import { bodyValidator } from '../../src/http/validation.js';
import * as s from '../../src/http/schema.js';

const body = s.titled(
  'NewThing',
  s.strictObject({ name: s.text(), colour: s.orNull(s.oneOf(['red', 'blue'])) }, ['name']),
);
const answer = s.titledObject('Thing', { name: s.text(), isNew: s.flag(), tags: s.listOf(s.text()) });
const query = s.queryOf({ dryRun: s.oneOf(['true', 'false']) });

const thingRoute = {
  method: 'post',
  path: '/things',
  operationId: 'makeThing',
  permission: 'apps:write',
  tag: 'Apps',
  summary: 'Make a thing',
  status: 201,
  body,
  query,
  answer,
  rejections: [],
} as const;

describe('the types of a route come from its schemas', () => {
  it('those of body, query and answer', () => {
    projectRoute({
      ...thingRoute,
      example: { body: { name: 'a', colour: null }, answer: { name: 'a', isNew: true, tags: [] } },
      async handle(request) {
        const { name, colour } = request.body;
        const { dryRun } = request.query;
        return { name, isNew: dryRun !== 'true', tags: colour == null ? [] : [colour] };
      },
    });
  });

  it('and one of a project needs a permission', () => {
    // @ts-expect-error -- which one?
    projectRoute({ ...thingRoute, permission: undefined, handle: () => Promise.reject(new TypeError()) });
  });

  it('and a field that is in no schema does not compile', () => {
    projectRoute({
      ...thingRoute,
      async handle(request) {
        // @ts-expect-error -- the body has no size
        void request.body.size;
        // @ts-expect-error -- a field that is not required may be absent
        request.body.colour satisfies 'red' | 'blue' | null;
        // @ts-expect-error -- the query has no limit
        void request.query.limit;
        return { name: 'a', isNew: true, tags: [] };
      },
    });
    // @ts-expect-error -- the answer lacks its tags
    projectRoute({ ...thingRoute, handle: async () => ({ name: 'a', isNew: true }) });
    projectRoute({
      ...thingRoute,
      // @ts-expect-error -- the example has a colour that the schema does not accept
      example: { body: { name: 'a', colour: 'green' } },
      handle: async () => ({ name: 'a', isNew: true, tags: [] }),
    });
  });

  it('and ajv takes the same values', () => {
    const check = bodyValidator(body);
    for (const value of [{ name: 'a' }, { name: 'a', colour: null }, { name: 'a', colour: 'red' }])
      check(value);
    for (const value of [{}, { name: 1 }, { name: 'a', colour: 'green' }, { name: 'a', size: 1 }])
      expect(() => check(value)).to.throw();
  });
});
