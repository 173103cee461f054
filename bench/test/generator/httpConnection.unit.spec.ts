import { expect } from 'chai';
import { completeAnswer, httpRequest } from '../../src/generator/httpConnection.js';

describe('The HTTP connection of the generator', () => {
  const head = 'HTTP/1.1 201 Created\r\nX-Other: 1\r\ncontent-length: 4\r\nConnection: keep-alive\r\n\r\n';

  it('waits for the complete head and body', () => {
    expect(completeAnswer(head.slice(0, -1))).to.equal(undefined);
    expect(completeAnswer(`${head}{}\r`)).to.equal(undefined);
    expect(completeAnswer(`${head}{}\r\n`)).to.deep.equal({ status: 201, body: '{}\r\n' });
  });

  it('refuses an answer without a length', () => {
    expect(() => completeAnswer('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')).to.throw(
      'content-length',
    );
  });

  it('computes the length of a body in bytes', () => {
    expect(httpRequest('POST', '/rooms', 'key', '"é"')).to.match(/\r\nContent-Length: 4\r\n\r\n"é"$/);
    expect(httpRequest('GET', '/rooms/1', 'key')).to.match(
      /^GET \/rooms\/1 HTTP\/1\.1\r\n[^]*Bearer key\r\n\r\n$/,
    );
  });
});
