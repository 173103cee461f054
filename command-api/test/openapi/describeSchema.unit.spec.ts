import { expect } from 'chai';
import { createAppSchema } from '../../src/apps/resource.js';
import { registerBlueprintSchema } from '../../src/blueprints/resource.js';
import { createSchemaDescriber } from '../../src/openapi/describeSchema.js';
import { createGrantSchema } from '../../src/rooms/grantResource.js';
import * as s from '../../src/http/schema.js';

describe('A described schema', () => {
  const described = (schema: object, title: string) => {
    const { describe, schemas } = createSchemaDescriber();
    expect(describe(schema as Record<string, unknown>)).to.eql({ $ref: `#/components/schemas/${title}` });
    return schemas[title];
  };

  it('describes conditional checks within a limit as plain keywords', () => {
    const { describe } = createSchemaDescriber();
    expect(describe(s.arrayOf(s.text(), 3, { uniqueItems: true }))).to.eql({
      type: 'array',
      maxItems: 3,
      items: { type: 'string' },
      uniqueItems: true,
    });
    expect(describe(s.mapOf({ pattern: '^x' }, s.text(), 2))).to.eql({
      type: 'object',
      maxProperties: 2,
      propertyNames: { pattern: '^x' },
      additionalProperties: { type: 'string' },
    });
  });

  it('keeps every other condition', () => {
    expect(described(createAppSchema, 'NewApp')).to.deep.include({
      required: ['name'],
      if: { required: ['blueprintVersion'] },
      then: { required: ['blueprintId'] },
    });
    expect(described(registerBlueprintSchema, 'NewBlueprint')).to.deep.include({
      required: ['version', 'definition'],
      if: { required: ['blueprintId'] },
      else: { required: ['name'] },
    });
  });

  it('describes fields of which exactly one is sent', () => {
    const grant = described(createGrantSchema, 'NewRoomGrant');
    expect(grant).to.deep.include({ oneOf: [{ required: ['actorTokenId'] }, { required: ['actorType'] }] });
    expect(grant).to.not.have.property('exactlyOneOf');
  });

  it('rejects one title for two schemas', () => {
    const { describe } = createSchemaDescriber();
    describe(s.titled('Thing', s.text()));
    describe(s.titled('Thing', s.text()));
    expect(() => describe(s.titled('Thing', { type: 'integer' }))).to.throw(
      'Two schemas have the title Thing',
    );
  });
});
