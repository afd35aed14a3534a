// SPDX-License-Identifier: Apache-2.0
// Browsers refuse workers to pages that are opened as files. The site searches in a worker; for such a page its script
// runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      const load = (address) => new Promise((loaded, failed) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, location.href).href;
        script.onload = loaded;
        script.onerror = failed;
        inside.document.body.append(script);
      });
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
      inside.importScripts = (...addresses) => Promise.all(addresses.map(load));
      this.ready = load(url);
    }

    postMessage(data) {
      const inside = this.frame.contentWindow;
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", {data})));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
