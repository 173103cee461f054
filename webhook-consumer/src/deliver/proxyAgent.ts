import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { HttpsProxyAgent } from 'https-proxy-agent';

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1];
type AgentOptions = NonNullable<ConstructorParameters<typeof HttpsProxyAgent>[1]>;

/** The proxy does not connect to the endpoint, or does not answer as one. Says nothing of the proxy's address. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
}

/** The proxy says nothing. */
class ProxySilent extends Error {
  override readonly name = 'TimeoutError';
}

export interface ProxyOptions {
  /** `http:` or `https:`, with a user name and a password where the proxy asks for them. */
  readonly proxy: string;
  /** What checks where calls go. */
  readonly lookup: LookupFunction;
  readonly attemptMs: number;
}

/**
 * [HOOK-PROXY-1] Connections through an HTTP proxy, by CONNECT for `http:` and `https:` alike. What a guarded look-up has
 * allowed is what the proxy is asked to connect to, as an address: the proxy looks nothing up.
 */
export class GuardedProxyAgent extends HttpsProxyAgent<string> {
  private readonly given: ProxyOptions;
  private readonly agentOptions: AgentOptions;

  constructor(given: ProxyOptions, agentOptions: AgentOptions) {
    super(given.proxy, agentOptions);
    this.given = given;
    this.agentOptions = agentOptions;
  }

  override async connect(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const { lookup } = this.given;
    const name = options.host ?? '';
    const host = isIP(name) !== 0 ? name : await addressOf(name, lookup);
    return this.tunnel(request, { ...options, host });
  }

  /** Node ends a request that has no socket yet only when it gets one: a silent proxy would hold it for good. */
  private async tunnel(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const { proxy, attemptMs } = this.given;
    const giveUp = new AbortController();
    const late = setTimeout(() => giveUp.abort(), attemptMs);
    const tunnel = new HttpsProxyAgent(proxy, {
      ...this.agentOptions,
      signal: giveUp.signal,
    });
    let status: number | undefined;
    tunnel.once('proxyConnect', ({ statusCode }: IncomingMessage) => (status = statusCode));
    try {
      const socket = await tunnel.connect(request, options);
      if (status === 200) return socket;
      socket.destroy();
    } catch (error) {
      throw giveUp.signal.aborted ? new ProxySilent('The proxy says nothing') : error;
    } finally {
      clearTimeout(late);
    }
    throw new ProxyRefused(`The proxy answered ${status}`);
  }
}

const addressOf = (name: string, lookup: LookupFunction): Promise<string> =>
  new Promise((resolve, reject) => {
    lookup(name, { all: false }, (error, address) => (error ? reject(error) : resolve(address as string)));
  });
