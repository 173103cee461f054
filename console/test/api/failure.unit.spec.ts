import { expect } from 'chai';
import { ApiFailure, answerOf, failureOf, isPassing, NoAnswer } from '../../src/api/failure.js';

describe('refusals of the API', () => {
  it('have the message and the problems of a failed validation', () => {
    const problems = [{ path: 'name', value: null, message: 'must not be empty' }];
    const failure = failureOf(400, { message: 'Validation failed', errors: problems });
    expect(failure).to.include({ status: 400, message: 'Validation failed' });
    expect(failure.problems).to.eql(problems);
  });

  it('have the message of the other shapes, and of the protocol', () => {
    const application = { id: 'x', message: 'App not found', timestamp: '' };
    expect(failureOf(404, application).message).to.equal('App not found');
    const framework = { statusCode: 403, message: 'Not allowed', error: 'Forbidden' };
    expect(failureOf(403, framework).message).to.equal('Not allowed');
    expect(failureOf(409, { error: 'publish_conflict' }).message).to.equal('publish_conflict');
  });

  it('say something of what has no shape', () => {
    expect(failureOf(502, undefined).message).to.equal('The service answered 502');
    expect(failureOf(502, { message: 5, errors: ['x'] })).to.include({ message: 'The service answered 502' });
  });

  it('are what an answer rejects with', async () => {
    const response = new Response(null, { status: 404 });
    const refused = await answerOf(Promise.resolve({ error: { message: 'Gone' }, response })).catch(
      (error: unknown) => error,
    );
    expect(refused).to.be.instanceOf(ApiFailure).and.include({ status: 404, message: 'Gone' });
    const data = { name: 'Lobby' };
    expect(await answerOf(Promise.resolve({ data, response: new Response() }))).to.equal(data);
  });

  it('pass where the service is away or has too much to do', () => {
    expect(isPassing(new NoAnswer())).to.equal(true);
    expect([429, 503, 404, 500].map((status) => isPassing(new ApiFailure(status, '')))).to.eql([
      true,
      true,
      false,
      false,
    ]);
  });
});
