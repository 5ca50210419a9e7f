// What keeps a widget's ear open, and what it hears of its kernel's end.
//
// anywidget gives a widget two seconds from its creation until its script is ready;
// where the page was busy for longer (a slow machine, many plots at once), it refuses every message of the kernel from
// then on, while the picture stands there as if nothing were wrong: a training is started and never seen.

// Called by anywidget once the script is there; `model` is what it hands out, which has no name of the widget itself.
const hearing = ({ model }) => {
  const widget = widgetOf(model),
    deaf = ownerOf(widget, "_handle_comm_msg"), // anywidget's, which waits and may refuse
    hears = deaf && Object.getPrototypeOf(deaf)._handle_comm_msg; // that of ipywidgets, under it
  if (!hears || !widget.comm?.on_msg) return; // no JupyterLab that we know
  // Not waited for: anywidget is ready only after this has returned. The message says nothing that anybody heeds.
  widget._handle_comm_msg({ content: { data: { method: "nothing" } } }).catch(() => {
    widget.comm.on_msg((message) => hears.call(widget, message));
    widget.comm.send({ method: "request_state" }, {}); // what was refused meanwhile
  });
};

// The widget behind anywidget's model: Backbone hands it to whoever listens to a change.
const widgetOf = (model) => {
  let widget = null;
  const take = (one) => (widget = one);
  model.on("change:hearing", take);
  model.set("hearing", true); // a name of the page's own, which the kernel does not keep
  model.off("change:hearing", take);
  return widget;
};

// Which of the widget's prototypes has the method itself.
const ownerOf = (widget, name) => {
  let owner = widget;
  while (owner && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
  return owner;
};

// Call `lost` when the widget's kernel ends: restarted, of which ipywidgets tells its models; or died, shut down or
// changed, of which JupyterLab alone knows; and at once in a view that is opened later. `listen` hears what the model
// says. Returns what to call when the view is gone.
const losing = (model, el, listen, lost) => {
  const session = model.widget_manager?.context?.sessionContext,
    status = (_, now) => /restarting|dead|terminating/.test(now) && lost(),
    changed = (_, { oldValue }) => oldValue && lost();
  listen("comm_live_update", lost);
  session?.statusChanged.connect(status);
  session?.kernelChanged.connect(changed);
  if (el.classList.contains("jupyter-widgets-disconnected")) lost();
  return () => {
    session?.statusChanged.disconnect(status);
    session?.kernelChanged.disconnect(changed);
  };
};
