import { expect } from 'chai';
import { ConfigError, readConfig } from '../../src/config/config.js';

const key = Buffer.alloc(32, 7).toString('base64');

describe('configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).to.eql({
      host: '127.0.0.1',
      port: 8080,
      opsPort: 9090,
      dataDir: './data',
      masterKey: undefined,
      sessionSecret: undefined,
      oidc: undefined,
      messageRecording: false,
      revalidationMs: 600_000,
      idleTimeoutMs: 60_000,
      publishRate: 50,
      restRate: 100,
      restBurst: 200,
      webhookAllowPrivate: true,
      logLevel: 'info',
    });
  });

  it('reads every variable', () => {
    const config = readConfig({
      ROOMWIRE_HOST: '0.0.0.0',
      ROOMWIRE_PORT: '0',
      ROOMWIRE_DATA_DIR: '/var/lib/roomwire',
      ROOMWIRE_MASTER_KEY: key,
      ROOMWIRE_MESSAGE_RECORDING: 'TRUE',
      ROOMWIRE_IDLE_TIMEOUT_SECONDS: '5',
      ROOMWIRE_PUBLISH_RATE: '0',
      ROOMWIRE_SESSION_JWKS_URL: 'https://issuer.test/jwks',
      ROOMWIRE_SESSION_ISSUER: 'https://issuer.test',
      ROOMWIRE_LOG_LEVEL: 'debug',
    });
    expect(config).to.deep.include({
      host: '0.0.0.0',
      port: 0,
      dataDir: '/var/lib/roomwire',
      masterKey: Buffer.alloc(32, 7),
      messageRecording: true,
      idleTimeoutMs: 5_000,
      publishRate: 0,
      oidc: { jwksUrl: 'https://issuer.test/jwks', issuer: 'https://issuer.test' },
      logLevel: 'debug',
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig({ ROOMWIRE_PORT: '', ROOMWIRE_LOG_LEVEL: ' ' })).to.include({
      port: 8080,
      logLevel: 'info',
    });
  });

  it('names every problem in one line, and shows no secret', () => {
    const bad = {
      ROOMWIRE_PORT: '8o8o',
      ROOMWIRE_OPS_PORT: '-1',
      ROOMWIRE_MESSAGE_RECORDING: 'yes',
      ROOMWIRE_SESSION_SECRET: 'c2hvcnQ=',
      ROOMWIRE_SESSION_AUDIENCE: 'x',
      ROOMWIRE_REST_BURST: '0',
      ROOMWIRE_IDLE_TIMEOUT_SECONDS: '1e3',
    };
    expect(() => readConfig(bad))
      .to.throw(ConfigError)
      .with.property('message')
      .that.satisfies((message: string) => {
        for (const name of Object.keys(bad)) expect(message).to.include(name);
        return !message.includes('\n') && !message.includes('c2hvcnQ=');
      });
  });
});
