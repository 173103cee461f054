/** Where the gateway is: at the page's own origin, unless the service says otherwise. */
export const gatewayUrl = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="roomwire-gateway"]')?.content ??
  `${location.origin.replace('http', 'ws')}/ws`;
