import { Router } from 'wouter';
import { session } from '../session/sessionStore.js';
import { SignInPage } from '../session/SignInPage.js';
import { ToastRegion } from '../components/Toast.js';
import { Failed } from './Failed.js';
import { base } from './paths.js';
import { SignedInApp } from './SignedInApp.js';
import { useStore } from './store.js';

/** Signed out, it shows how to sign in at whatever address, which is where one is afterwards. */
export const App = () => {
  const now = useStore(session);
  return (
    <Router base={base}>
      <Failed>
        {now.kind === 'signedIn' ? (
          <SignedInApp key={now.token} token={now.token} />
        ) : (
          <SignInPage reason={now.reason} />
        )}
      </Failed>
      <ToastRegion />
    </Router>
  );
};
