import { Component, type ReactNode } from 'react';
import { Button } from '../components/Button.js';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly error: Error | undefined;
}

/** Shows a defect of the page instead of nothing; the other pages go on. */
export class Failed extends Component<Props, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // A page is a file of its own: after an update of the service the one that this page knows is gone.
    const isGone = /dynamically imported module|Importing a module script failed/.test(error.message);
    return (
      <div className="whole-page" role="alert">
        <h1>{isGone ? 'The console has been updated' : 'This page failed'}</h1>
        <p className="muted">{isGone ? 'Reload it to go on. You will sign in again.' : error.message}</p>
        <Button
          look="primary"
          onPress={() => (isGone ? location.reload() : this.setState({ error: undefined }))}
        >
          {isGone ? 'Reload' : 'Try again'}
        </Button>
      </div>
    );
  }
}
