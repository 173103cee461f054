import { expect } from 'chai';
import { descriptionIn } from '../../src/api/schemaHelp.js';
import { nextPosition, rowsOf } from '../../src/api/pages.js';

const schemas = {
  Changes: {
    properties: {
      name: { description: 'What it is called' },
      config: { anyOf: [{ $ref: '#/components/schemas/Config' }, {}] },
      topicConfigs: { additionalProperties: { $ref: '#/components/schemas/Config' } },
    },
  },
  Config: { properties: { seconds: { description: 'For how long' }, plain: {} } },
};

describe('the description of a field', () => {
  it('is found behind references, alternatives and entries of any name', () => {
    expect(descriptionIn(schemas, 'Changes', 'name')).to.equal('What it is called');
    expect(descriptionIn(schemas, 'Changes', 'config.seconds')).to.equal('For how long');
    expect(descriptionIn(schemas, 'Changes', 'topicConfigs.chat.seconds')).to.equal('For how long');
  });

  it('is none where there is none', () => {
    expect(descriptionIn(schemas, 'Changes', 'config.plain')).to.equal(undefined);
    expect(descriptionIn(schemas, 'Nothing', 'name')).to.equal(undefined);
  });
});

describe('pages of a list', () => {
  it('go on by cursor or by number, and end', () => {
    expect(nextPosition({ data: [], next: 'c' })).to.eql({ cursor: 'c' });
    expect(nextPosition({ data: [], next: null })).to.equal(undefined);
    expect(nextPosition({ data: [], pagination: { page: 1, pageCount: 2 } })).to.eql({ page: 2 });
    expect(nextPosition({ data: [], pagination: { page: 2, pageCount: 2 } })).to.equal(undefined);
    expect(nextPosition([1])).to.equal(undefined);
  });

  it('have rows in whatever form they come', () => {
    expect(rowsOf([1, 2])).to.eql([1, 2]);
    expect(rowsOf({ data: [3], next: null })).to.eql([3]);
  });
});
