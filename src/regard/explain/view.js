/*! The viewer of regard, Apache-2.0. It contains Lit (BSD-3-Clause, Google LLC) and d3-color, d3-hierarchy, d3-interpolate and d3-scale (ISC, Mike Bostock). */
var Ae=globalThis,Se=Ae.ShadowRoot&&(Ae.ShadyCSS===void 0||Ae.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,Tn=Symbol(),Nr=new WeakMap,Qt=class{constructor(e,n,r){if(this._$cssResult$=!0,r!==Tn)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=n}get styleSheet(){let e=this.o,n=this.t;if(Se&&e===void 0){let r=n!==void 0&&n.length===1;r&&(e=Nr.get(n)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),r&&Nr.set(n,e))}return e}toString(){return this.cssText}},Me=t=>new Qt(typeof t=="string"?t:t+"",void 0,Tn),M=(t,...e)=>{let n=t.length===1?t[0]:e.reduce((r,o,i)=>r+(s=>{if(s._$cssResult$===!0)return s.cssText;if(typeof s=="number")return s;throw Error("Value passed to 'css' function must be a 'css' function result: "+s+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(o)+t[i+1],t[0]);return new Qt(n,t,Tn)},Rr=(t,e)=>{if(Se)t.adoptedStyleSheets=e.map(n=>n instanceof CSSStyleSheet?n:n.styleSheet);else for(let n of e){let r=document.createElement("style"),o=Ae.litNonce;o!==void 0&&r.setAttribute("nonce",o),r.textContent=n.cssText,t.appendChild(r)}},En=Se?t=>t:t=>t instanceof CSSStyleSheet?(e=>{let n="";for(let r of e.cssRules)n+=r.cssText;return Me(n)})(t):t;var{is:Ks,defineProperty:Ys,getOwnPropertyDescriptor:Xs,getOwnPropertyNames:Qs,getOwnPropertySymbols:Zs,getPrototypeOf:Js}=Object,Te=globalThis,Cr=Te.trustedTypes,ta=Cr?Cr.emptyScript:"",ea=Te.reactiveElementPolyfillSupport,Zt=(t,e)=>t,_n={toAttribute(t,e){switch(e){case Boolean:t=t?ta:null;break;case Object:case Array:t=t==null?t:JSON.stringify(t)}return t},fromAttribute(t,e){let n=t;switch(e){case Boolean:n=t!==null;break;case Number:n=t===null?null:Number(t);break;case Object:case Array:try{n=JSON.parse(t)}catch{n=null}}return n}},Pr=(t,e)=>!Ks(t,e),Hr={attribute:!0,type:String,converter:_n,reflect:!1,useDefault:!1,hasChanged:Pr};Symbol.metadata??=Symbol("metadata"),Te.litPropertyMetadata??=new WeakMap;var st=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,n=Hr){if(n.state&&(n.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((n=Object.create(n)).wrapped=!0),this.elementProperties.set(e,n),!n.noAccessor){let r=Symbol(),o=this.getPropertyDescriptor(e,r,n);o!==void 0&&Ys(this.prototype,e,o)}}static getPropertyDescriptor(e,n,r){let{get:o,set:i}=Xs(this.prototype,e)??{get(){return this[n]},set(s){this[n]=s}};return{get:o,set(s){let a=o?.call(this);i?.call(this,s),this.requestUpdate(e,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??Hr}static _$Ei(){if(this.hasOwnProperty(Zt("elementProperties")))return;let e=Js(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(Zt("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Zt("properties"))){let n=this.properties,r=[...Qs(n),...Zs(n)];for(let o of r)this.createProperty(o,n[o])}let e=this[Symbol.metadata];if(e!==null){let n=litPropertyMetadata.get(e);if(n!==void 0)for(let[r,o]of n)this.elementProperties.set(r,o)}this._$Eh=new Map;for(let[n,r]of this.elementProperties){let o=this._$Eu(n,r);o!==void 0&&this._$Eh.set(o,n)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let n=[];if(Array.isArray(e)){let r=new Set(e.flat(1/0).reverse());for(let o of r)n.unshift(En(o))}else e!==void 0&&n.push(En(e));return n}static _$Eu(e,n){let r=n.attribute;return r===!1?void 0:typeof r=="string"?r:typeof e=="string"?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,n=this.constructor.elementProperties;for(let r of n.keys())this.hasOwnProperty(r)&&(e.set(r,this[r]),delete this[r]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Rr(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,n,r){this._$AK(e,r)}_$ET(e,n){let r=this.constructor.elementProperties.get(e),o=this.constructor._$Eu(e,r);if(o!==void 0&&r.reflect===!0){let i=(r.converter?.toAttribute!==void 0?r.converter:_n).toAttribute(n,r.type);this._$Em=e,i==null?this.removeAttribute(o):this.setAttribute(o,i),this._$Em=null}}_$AK(e,n){let r=this.constructor,o=r._$Eh.get(e);if(o!==void 0&&this._$Em!==o){let i=r.getPropertyOptions(o),s=typeof i.converter=="function"?{fromAttribute:i.converter}:i.converter?.fromAttribute!==void 0?i.converter:_n;this._$Em=o;let a=s.fromAttribute(n,i.type);this[o]=a??this._$Ej?.get(o)??a,this._$Em=null}}requestUpdate(e,n,r,o=!1,i){if(e!==void 0){let s=this.constructor;if(o===!1&&(i=this[e]),r??=s.getPropertyOptions(e),!((r.hasChanged??Pr)(i,n)||r.useDefault&&r.reflect&&i===this._$Ej?.get(e)&&!this.hasAttribute(s._$Eu(e,r))))return;this.C(e,n,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(e,n,{useDefault:r,reflect:o,wrapped:i},s){r&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,s??n??this[e]),i!==!0||s!==void 0)||(this._$AL.has(e)||(this.hasUpdated||r||(n=void 0),this._$AL.set(e,n)),o===!0&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(n){Promise.reject(n)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[o,i]of this._$Ep)this[o]=i;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[o,i]of r){let{wrapped:s}=i,a=this[o];s!==!0||this._$AL.has(o)||a===void 0||this.C(o,void 0,i,a)}}let e=!1,n=this._$AL;try{e=this.shouldUpdate(n),e?(this.willUpdate(n),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(n)):this._$EM()}catch(r){throw e=!1,this._$EM(),r}e&&this._$AE(n)}willUpdate(e){}_$AE(e){this._$EO?.forEach(n=>n.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(n=>this._$ET(n,this[n])),this._$EM()}updated(e){}firstUpdated(e){}};st.elementStyles=[],st.shadowRootOptions={mode:"open"},st[Zt("elementProperties")]=new Map,st[Zt("finalized")]=new Map,ea?.({ReactiveElement:st}),(Te.reactiveElementVersions??=[]).push("2.1.2");var Rn=globalThis,Ir=t=>t,Ee=Rn.trustedTypes,Lr=Ee?Ee.createPolicy("lit-html",{createHTML:t=>t}):void 0,Cn="$lit$",at=`lit$${Math.random().toFixed(9).slice(2)}$`,Hn="?"+at,na=`<${Hn}>`,At=document,te=()=>At.createComment(""),ee=t=>t===null||typeof t!="object"&&typeof t!="function",Pn=Array.isArray,Dr=t=>Pn(t)||typeof t?.[Symbol.iterator]=="function",Nn=`[ 	
\f\r]`,Jt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,zr=/-->/g,qr=/>/g,vt=RegExp(`>|${Nn}(?:([^\\s"'>=/]+)(${Nn}*=${Nn}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Vr=/'/g,Ur=/"/g,Br=/^(?:script|style|textarea|title)$/i,In=t=>(e,...n)=>({_$litType$:t,strings:e,values:n}),p=In(1),Pe=In(2),z=In(3),St=Symbol.for("lit-noChange"),g=Symbol.for("lit-nothing"),Or=new WeakMap,kt=At.createTreeWalker(At,129);function jr(t,e){if(!Pn(t)||!t.hasOwnProperty("raw"))throw Error("invalid template strings array");return Lr!==void 0?Lr.createHTML(e):e}var Fr=(t,e)=>{let n=t.length-1,r=[],o,i=e===2?"<svg>":e===3?"<math>":"",s=Jt;for(let a=0;a<n;a++){let l=t[a],c,u,d=-1,m=0;for(;m<l.length&&(s.lastIndex=m,u=s.exec(l),u!==null);)m=s.lastIndex,s===Jt?u[1]==="!--"?s=zr:u[1]!==void 0?s=qr:u[2]!==void 0?(Br.test(u[2])&&(o=RegExp("</"+u[2],"g")),s=vt):u[3]!==void 0&&(s=vt):s===vt?u[0]===">"?(s=o??Jt,d=-1):u[1]===void 0?d=-2:(d=s.lastIndex-u[2].length,c=u[1],s=u[3]===void 0?vt:u[3]==='"'?Ur:Vr):s===Ur||s===Vr?s=vt:s===zr||s===qr?s=Jt:(s=vt,o=void 0);let h=s===vt&&t[a+1].startsWith("/>")?" ":"";i+=s===Jt?l+na:d>=0?(r.push(c),l.slice(0,d)+Cn+l.slice(d)+at+h):l+at+(d===-2?a:h)}return[jr(t,i+(t[n]||"<?>")+(e===2?"</svg>":e===3?"</math>":"")),r]},ne=class t{constructor({strings:e,_$litType$:n},r){let o;this.parts=[];let i=0,s=0,a=e.length-1,l=this.parts,[c,u]=Fr(e,n);if(this.el=t.createElement(c,r),kt.currentNode=this.el.content,n===2||n===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(o=kt.nextNode())!==null&&l.length<a;){if(o.nodeType===1){if(o.hasAttributes())for(let d of o.getAttributeNames())if(d.endsWith(Cn)){let m=u[s++],h=o.getAttribute(d).split(at),f=/([.?@])?(.*)/.exec(m);l.push({type:1,index:i,name:f[2],strings:h,ctor:f[1]==="."?Ne:f[1]==="?"?Re:f[1]==="@"?Ce:Tt}),o.removeAttribute(d)}else d.startsWith(at)&&(l.push({type:6,index:i}),o.removeAttribute(d));if(Br.test(o.tagName)){let d=o.textContent.split(at),m=d.length-1;if(m>0){o.textContent=Ee?Ee.emptyScript:"";for(let h=0;h<m;h++)o.append(d[h],te()),kt.nextNode(),l.push({type:2,index:++i});o.append(d[m],te())}}}else if(o.nodeType===8)if(o.data===Hn)l.push({type:2,index:i});else{let d=-1;for(;(d=o.data.indexOf(at,d+1))!==-1;)l.push({type:7,index:i}),d+=at.length-1}i++}}static createElement(e,n){let r=At.createElement("template");return r.innerHTML=e,r}};function Mt(t,e,n=t,r){if(e===St)return e;let o=r!==void 0?n._$Co?.[r]:n._$Cl,i=ee(e)?void 0:e._$litDirective$;return o?.constructor!==i&&(o?._$AO?.(!1),i===void 0?o=void 0:(o=new i(t),o._$AT(t,n,r)),r!==void 0?(n._$Co??=[])[r]=o:n._$Cl=o),o!==void 0&&(e=Mt(t,o._$AS(t,e.values),o,r)),e}var _e=class{constructor(e,n){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:n},parts:r}=this._$AD,o=(e?.creationScope??At).importNode(n,!0);kt.currentNode=o;let i=kt.nextNode(),s=0,a=0,l=r[0];for(;l!==void 0;){if(s===l.index){let c;l.type===2?c=new Lt(i,i.nextSibling,this,e):l.type===1?c=new l.ctor(i,l.name,l.strings,this,e):l.type===6&&(c=new He(i,this,e)),this._$AV.push(c),l=r[++a]}s!==l?.index&&(i=kt.nextNode(),s++)}return kt.currentNode=At,o}p(e){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(e,r,n),n+=r.strings.length-2):r._$AI(e[n])),n++}},Lt=class t{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,n,r,o){this.type=2,this._$AH=g,this._$AN=void 0,this._$AA=e,this._$AB=n,this._$AM=r,this.options=o,this._$Cv=o?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,n=this._$AM;return n!==void 0&&e?.nodeType===11&&(e=n.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,n=this){e=Mt(this,e,n),ee(e)?e===g||e==null||e===""?(this._$AH!==g&&this._$AR(),this._$AH=g):e!==this._$AH&&e!==St&&this._(e):e._$litType$!==void 0?this.$(e):e.nodeType!==void 0?this.T(e):Dr(e)?this.k(e):this._(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==g&&ee(this._$AH)?this._$AA.nextSibling.data=e:this.T(At.createTextNode(e)),this._$AH=e}$(e){let{values:n,_$litType$:r}=e,o=typeof r=="number"?this._$AC(e):(r.el===void 0&&(r.el=ne.createElement(jr(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===o)this._$AH.p(n);else{let i=new _e(o,this),s=i.u(this.options);i.p(n),this.T(s),this._$AH=i}}_$AC(e){let n=Or.get(e.strings);return n===void 0&&Or.set(e.strings,n=new ne(e)),n}k(e){Pn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,o=0;for(let i of e)o===n.length?n.push(r=new t(this.O(te()),this.O(te()),this,this.options)):r=n[o],r._$AI(i),o++;o<n.length&&(this._$AR(r&&r._$AB.nextSibling,o),n.length=o)}_$AR(e=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);e!==this._$AB;){let r=Ir(e).nextSibling;Ir(e).remove(),e=r}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},Tt=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,n,r,o,i){this.type=1,this._$AH=g,this._$AN=void 0,this.element=e,this.name=n,this._$AM=o,this.options=i,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=g}_$AI(e,n=this,r,o){let i=this.strings,s=!1;if(i===void 0)e=Mt(this,e,n,0),s=!ee(e)||e!==this._$AH&&e!==St,s&&(this._$AH=e);else{let a=e,l,c;for(e=i[0],l=0;l<i.length-1;l++)c=Mt(this,a[r+l],n,l),c===St&&(c=this._$AH[l]),s||=!ee(c)||c!==this._$AH[l],c===g?e=g:e!==g&&(e+=(c??"")+i[l+1]),this._$AH[l]=c}s&&!o&&this.j(e)}j(e){e===g?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??"")}},Ne=class extends Tt{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===g?void 0:e}},Re=class extends Tt{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==g)}},Ce=class extends Tt{constructor(e,n,r,o,i){super(e,n,r,o,i),this.type=5}_$AI(e,n=this){if((e=Mt(this,e,n,0)??g)===St)return;let r=this._$AH,o=e===g&&r!==g||e.capture!==r.capture||e.once!==r.once||e.passive!==r.passive,i=e!==g&&(r===g||o);o&&this.element.removeEventListener(this.name,this,r),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},He=class{constructor(e,n,r){this.element=e,this.type=6,this._$AN=void 0,this._$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(e){Mt(this,e)}},Gr={M:Cn,P:at,A:Hn,C:1,L:Fr,R:_e,D:Dr,V:Mt,I:Lt,H:Tt,N:Re,U:Ce,B:Ne,F:He},ra=Rn.litHtmlPolyfillSupport;ra?.(ne,Lt),(Rn.litHtmlVersions??=[]).push("3.3.3");var Wr=(t,e,n)=>{let r=n?.renderBefore??e,o=r._$litPart$;if(o===void 0){let i=n?.renderBefore??null;r._$litPart$=o=new Lt(e.insertBefore(te(),i),i,void 0,n??{})}return o._$AI(t),o};var Ln=globalThis,pt=class extends st{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let n=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=Wr(n,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return St}};pt._$litElement$=!0,pt.finalized=!0,Ln.litElementHydrateSupport?.({LitElement:pt});var oa=Ln.litElementPolyfillSupport;oa?.({LitElement:pt});(Ln.litElementVersions??=[]).push("4.2.2");var ia=26,sa=2,zn=.005;function Kr({source:t,weights:e,bottleneck:n}){return t.units.flatMap((r,o)=>n||e[o]>=zn?[o]:[])}function Yr(t,e,n){let{weights:r,bottleneck:o}=t,i=n||e<2&&!o?[]:Kr(t),s=a=>o?sa:ia*r[a];return p`<svg class="arcs ${o?"threads":""}" aria-hidden="true">
    ${i.map(a=>Pe`<path class="arc" data-testid="arc" data-unit=${a} pathLength="1"
        data-value=${o?1:r[a]} .style=${`stroke-width:${s(a)}px`}></path>`)}
    <path class="out" data-testid="out"></path></svg>`}function Xr(t,e,n){if(e!==4||n)return g;let r=o=>t.bottleneck?7:6+12*Math.sqrt(t.shares[o]);return p`<div class="dots" aria-hidden="true">${Kr(t).flatMap(o=>[0,1,2].map(i=>p`<i class="dot" data-unit=${o}
        .style=${`--size:${r(o)}px;--delay:${.14*i}`}></i>`))}</div>`}function Qr(t){for(let e of t.querySelectorAll(".lane"))aa(e)}function aa(t){let{left:e,top:n}=t.getBoundingClientRect(),r=h=>{let{x:f,y:b,width:x,height:y}=(h??t).getBoundingClientRect();return{x:f-e+x/2,top:b-n,bottom:b-n+y,width:x}},o=t.querySelector(".pill"),i=t.querySelectorAll(".part"),s=t.querySelectorAll('[data-testid="source-word"]'),a=h=>{let f=r(s[h]),b=r(o),x=i.length?r(i[h]):b,y=i.length?0:((h+.5)/s.length-.5)*Math.min(60,b.width/3),[$,P,L,j]=[f.x,f.bottom+1,x.x+y,b.top],I=(P+j)/2;return`M${$} ${P}C${$} ${I} ${L} ${I} ${L} ${j}`};for(let h of t.querySelectorAll(".arc"))h.setAttribute("d",a(Number(h.dataset.unit)));for(let h of t.querySelectorAll(".dot"))h.style.offsetPath=`path("${a(Number(h.dataset.unit))}")`;let l=t.querySelector(".target .now"),c=r(t.querySelector(".race")),u=t.querySelector(".out");if(u?.toggleAttribute("hidden",!l),!u||!l)return;let d=r(l),m=(c.bottom+d.top)/2;u.setAttribute("d",`M${c.x} ${c.bottom}C${c.x} ${m} ${d.x} ${m} ${d.x} ${d.top}`)}function Ie(t,e){return t==null||e==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function la(t,e){return t==null||e==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function Zr(t){let e,n,r;t.length!==2?(e=Ie,n=(a,l)=>Ie(t(a),l),r=(a,l)=>t(a)-l):(e=t===Ie||t===la?t:ca,n=t,r=t);function o(a,l,c=0,u=a.length){if(c<u){if(e(l,l)!==0)return u;do{let d=c+u>>>1;n(a[d],l)<0?c=d+1:u=d}while(c<u)}return c}function i(a,l,c=0,u=a.length){if(c<u){if(e(l,l)!==0)return u;do{let d=c+u>>>1;n(a[d],l)<=0?c=d+1:u=d}while(c<u)}return c}function s(a,l,c=0,u=a.length){let d=o(a,l,c,u-1);return d>c&&r(a[d-1],l)>-r(a[d],l)?d-1:d}return{left:o,center:s,right:i}}function ca(){return 0}function ua(t){return t===null?NaN:+t}var Jr=Zr(Ie),to=Jr.right,Tu=Jr.left,Eu=Zr(ua).center;var _u=eo(no),Nu=eo(da);function eo(t){return function(e,n,r=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((r=+r)>=0))throw new RangeError("invalid ry");let{data:o,width:i,height:s}=e;if(!((i=Math.floor(i))>=0))throw new RangeError("invalid width");if(!((s=Math.floor(s!==void 0?s:o.length/i))>=0))throw new RangeError("invalid height");if(!i||!s||!n&&!r)return e;let a=n&&t(n),l=r&&t(r),c=o.slice();return a&&l?(zt(a,c,o,i,s),zt(a,o,c,i,s),zt(a,c,o,i,s),qt(l,o,c,i,s),qt(l,c,o,i,s),qt(l,o,c,i,s)):a?(zt(a,o,c,i,s),zt(a,c,o,i,s),zt(a,o,c,i,s)):l&&(qt(l,o,c,i,s),qt(l,c,o,i,s),qt(l,o,c,i,s)),e}}function zt(t,e,n,r,o){for(let i=0,s=r*o;i<s;)t(e,n,i,i+=r,1)}function qt(t,e,n,r,o){for(let i=0,s=r*o;i<r;++i)t(e,n,i,i+s,r)}function da(t){let e=no(t);return(n,r,o,i,s)=>{o<<=2,i<<=2,s<<=2,e(n,r,o+0,i+0,s),e(n,r,o+1,i+1,s),e(n,r,o+2,i+2,s),e(n,r,o+3,i+3,s)}}function no(t){let e=Math.floor(t);if(e===t)return pa(t);let n=t-e,r=2*t+1;return(o,i,s,a,l)=>{if(!((a-=l)>=s))return;let c=e*i[s],u=l*e,d=u+l;for(let m=s,h=s+u;m<h;m+=l)c+=i[Math.min(a,m)];for(let m=s,h=a;m<=h;m+=l)c+=i[Math.min(a,m+u)],o[m]=(c+n*(i[Math.max(s,m-d)]+i[Math.min(a,m+d)]))/r,c-=i[Math.max(s,m-u)]}}function pa(t){let e=2*t+1;return(n,r,o,i,s)=>{if(!((i-=s)>=o))return;let a=t*r[o],l=s*t;for(let c=o,u=o+l;c<u;c+=s)a+=r[Math.min(i,c)];for(let c=o,u=i;c<=u;c+=s)a+=r[Math.min(i,c+l)],n[c]=a/e,a-=r[Math.max(o,c-l)]}}var ma=Array.prototype,Ru=ma.slice;var ha=Math.sqrt(50),fa=Math.sqrt(10),ga=Math.sqrt(2);function Le(t,e,n){let r=(e-t)/Math.max(0,n),o=Math.floor(Math.log10(r)),i=r/Math.pow(10,o),s=i>=ha?10:i>=fa?5:i>=ga?2:1,a,l,c;return o<0?(c=Math.pow(10,-o)/s,a=Math.round(t*c),l=Math.round(e*c),a/c<t&&++a,l/c>e&&--l,c=-c):(c=Math.pow(10,o)*s,a=Math.round(t/c),l=Math.round(e/c),a*c<t&&++a,l*c>e&&--l),l<a&&.5<=n&&n<2?Le(t,e,n*2):[a,l,c]}function ro(t,e,n){if(e=+e,t=+t,n=+n,!(n>0))return[];if(t===e)return[t];let r=e<t,[o,i,s]=r?Le(e,t,n):Le(t,e,n);if(!(i>=o))return[];let a=i-o+1,l=new Array(a);if(r)if(s<0)for(let c=0;c<a;++c)l[c]=(i-c)/-s;else for(let c=0;c<a;++c)l[c]=(i-c)*s;else if(s<0)for(let c=0;c<a;++c)l[c]=(o+c)/-s;else for(let c=0;c<a;++c)l[c]=(o+c)*s;return l}function ze(t,e,n){return e=+e,t=+t,n=+n,Le(t,e,n)[2]}function oo(t,e,n){e=+e,t=+t,n=+n;let r=e<t,o=r?ze(e,t,n):ze(t,e,n);return(r?-1:1)*(o<0?1/-o:o)}var Cu=ba(Math.random);function ba(t){return function(n,r=0,o=n.length){let i=o-(r=+r);for(;i;){let s=t()*i--|0,a=n[i+r];n[i+r]=n[s+r],n[s+r]=a}return n}}function io(t,e){switch(arguments.length){case 0:break;case 1:this.range(t);break;default:this.range(e).domain(t);break}return this}function Dt(t,e,n){t.prototype=e.prototype=n,n.constructor=t}function ie(t,e){var n=Object.create(t.prototype);for(var r in e)n[r]=e[r];return n}function mt(){}var Rt=.7,Ot=1/Rt,Vt="\\s*([+-]?\\d+)\\s*",re="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",J="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",xa=/^#([0-9a-f]{3,8})$/,wa=new RegExp(`^rgb\\(${Vt},${Vt},${Vt}\\)$`),ya=new RegExp(`^rgb\\(${J},${J},${J}\\)$`),$a=new RegExp(`^rgba\\(${Vt},${Vt},${Vt},${re}\\)$`),va=new RegExp(`^rgba\\(${J},${J},${J},${re}\\)$`),ka=new RegExp(`^hsl\\(${re},${J},${J}\\)$`),Aa=new RegExp(`^hsla\\(${re},${J},${J},${re}\\)$`),so={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};Dt(mt,Bt,{copy(t){return Object.assign(new this.constructor,this,t)},displayable(){return this.rgb().displayable()},hex:ao,formatHex:ao,formatHex8:Sa,formatHsl:Ma,formatRgb:lo,toString:lo});function ao(){return this.rgb().formatHex()}function Sa(){return this.rgb().formatHex8()}function Ma(){return xo(this).formatHsl()}function lo(){return this.rgb().formatRgb()}function Bt(t){var e,n;return t=(t+"").trim().toLowerCase(),(e=xa.exec(t))?(n=e[1].length,e=parseInt(e[1],16),n===6?co(e):n===3?new q(e>>8&15|e>>4&240,e>>4&15|e&240,(e&15)<<4|e&15,1):n===8?qe(e>>24&255,e>>16&255,e>>8&255,(e&255)/255):n===4?qe(e>>12&15|e>>8&240,e>>8&15|e>>4&240,e>>4&15|e&240,((e&15)<<4|e&15)/255):null):(e=wa.exec(t))?new q(e[1],e[2],e[3],1):(e=ya.exec(t))?new q(e[1]*255/100,e[2]*255/100,e[3]*255/100,1):(e=$a.exec(t))?qe(e[1],e[2],e[3],e[4]):(e=va.exec(t))?qe(e[1]*255/100,e[2]*255/100,e[3]*255/100,e[4]):(e=ka.exec(t))?mo(e[1],e[2]/100,e[3]/100,1):(e=Aa.exec(t))?mo(e[1],e[2]/100,e[3]/100,e[4]):so.hasOwnProperty(t)?co(so[t]):t==="transparent"?new q(NaN,NaN,NaN,0):null}function co(t){return new q(t>>16&255,t>>8&255,t&255,1)}function qe(t,e,n,r){return r<=0&&(t=e=n=NaN),new q(t,e,n,r)}function Bn(t){return t instanceof mt||(t=Bt(t)),t?(t=t.rgb(),new q(t.r,t.g,t.b,t.opacity)):new q}function se(t,e,n,r){return arguments.length===1?Bn(t):new q(t,e,n,r??1)}function q(t,e,n,r){this.r=+t,this.g=+e,this.b=+n,this.opacity=+r}Dt(q,se,ie(mt,{brighter(t){return t=t==null?Ot:Math.pow(Ot,t),new q(this.r*t,this.g*t,this.b*t,this.opacity)},darker(t){return t=t==null?Rt:Math.pow(Rt,t),new q(this.r*t,this.g*t,this.b*t,this.opacity)},rgb(){return this},clamp(){return new q(_t(this.r),_t(this.g),_t(this.b),Ue(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:uo,formatHex:uo,formatHex8:Ta,formatRgb:po,toString:po}));function uo(){return`#${Et(this.r)}${Et(this.g)}${Et(this.b)}`}function Ta(){return`#${Et(this.r)}${Et(this.g)}${Et(this.b)}${Et((isNaN(this.opacity)?1:this.opacity)*255)}`}function po(){let t=Ue(this.opacity);return`${t===1?"rgb(":"rgba("}${_t(this.r)}, ${_t(this.g)}, ${_t(this.b)}${t===1?")":`, ${t})`}`}function Ue(t){return isNaN(t)?1:Math.max(0,Math.min(1,t))}function _t(t){return Math.max(0,Math.min(255,Math.round(t)||0))}function Et(t){return t=_t(t),(t<16?"0":"")+t.toString(16)}function mo(t,e,n,r){return r<=0?t=e=n=NaN:n<=0||n>=1?t=e=NaN:e<=0&&(t=NaN),new G(t,e,n,r)}function xo(t){if(t instanceof G)return new G(t.h,t.s,t.l,t.opacity);if(t instanceof mt||(t=Bt(t)),!t)return new G;if(t instanceof G)return t;t=t.rgb();var e=t.r/255,n=t.g/255,r=t.b/255,o=Math.min(e,n,r),i=Math.max(e,n,r),s=NaN,a=i-o,l=(i+o)/2;return a?(e===i?s=(n-r)/a+(n<r)*6:n===i?s=(r-e)/a+2:s=(e-n)/a+4,a/=l<.5?i+o:2-i-o,s*=60):a=l>0&&l<1?0:s,new G(s,a,l,t.opacity)}function De(t,e,n,r){return arguments.length===1?xo(t):new G(t,e,n,r??1)}function G(t,e,n,r){this.h=+t,this.s=+e,this.l=+n,this.opacity=+r}Dt(G,De,ie(mt,{brighter(t){return t=t==null?Ot:Math.pow(Ot,t),new G(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Rt:Math.pow(Rt,t),new G(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=this.h%360+(this.h<0)*360,e=isNaN(t)||isNaN(this.s)?0:this.s,n=this.l,r=n+(n<.5?n:1-n)*e,o=2*n-r;return new q(qn(t>=240?t-240:t+120,o,r),qn(t,o,r),qn(t<120?t+240:t-120,o,r),this.opacity)},clamp(){return new G(ho(this.h),Ve(this.s),Ve(this.l),Ue(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let t=Ue(this.opacity);return`${t===1?"hsl(":"hsla("}${ho(this.h)}, ${Ve(this.s)*100}%, ${Ve(this.l)*100}%${t===1?")":`, ${t})`}`}}));function ho(t){return t=(t||0)%360,t<0?t+360:t}function Ve(t){return Math.max(0,Math.min(1,t||0))}function qn(t,e,n){return(t<60?e+(n-e)*t/60:t<180?n:t<240?e+(n-e)*(240-t)/60:e)*255}var wo=Math.PI/180,yo=180/Math.PI,Oe=18,$o=.96422,vo=1,ko=.82521,Ao=4/29,Ut=6/29,So=3*Ut*Ut,Ea=Ut*Ut*Ut;function Mo(t){if(t instanceof tt)return new tt(t.l,t.a,t.b,t.opacity);if(t instanceof lt)return Eo(t);t instanceof q||(t=Bn(t));var e=Dn(t.r),n=Dn(t.g),r=Dn(t.b),o=Vn((.2225045*e+.7168786*n+.0606169*r)/vo),i,s;return e===n&&n===r?i=s=o:(i=Vn((.4360747*e+.3850649*n+.1430804*r)/$o),s=Vn((.0139322*e+.0971045*n+.7141733*r)/ko)),new tt(116*o-16,500*(i-o),200*(o-s),t.opacity)}function To(t,e,n,r){return arguments.length===1?Mo(t):new tt(t,e,n,r??1)}function tt(t,e,n,r){this.l=+t,this.a=+e,this.b=+n,this.opacity=+r}Dt(tt,To,ie(mt,{brighter(t){return new tt(this.l+Oe*(t??1),this.a,this.b,this.opacity)},darker(t){return new tt(this.l-Oe*(t??1),this.a,this.b,this.opacity)},rgb(){var t=(this.l+16)/116,e=isNaN(this.a)?t:t+this.a/500,n=isNaN(this.b)?t:t-this.b/200;return e=$o*Un(e),t=vo*Un(t),n=ko*Un(n),new q(On(3.1338561*e-1.6168667*t-.4906146*n),On(-.9787684*e+1.9161415*t+.033454*n),On(.0719453*e-.2289914*t+1.4052427*n),this.opacity)}}));function Vn(t){return t>Ea?Math.pow(t,1/3):t/So+Ao}function Un(t){return t>Ut?t*t*t:So*(t-Ao)}function On(t){return 255*(t<=.0031308?12.92*t:1.055*Math.pow(t,1/2.4)-.055)}function Dn(t){return(t/=255)<=.04045?t/12.92:Math.pow((t+.055)/1.055,2.4)}function _a(t){if(t instanceof lt)return new lt(t.h,t.c,t.l,t.opacity);if(t instanceof tt||(t=Mo(t)),t.a===0&&t.b===0)return new lt(NaN,0<t.l&&t.l<100?0:NaN,t.l,t.opacity);var e=Math.atan2(t.b,t.a)*yo;return new lt(e<0?e+360:e,Math.sqrt(t.a*t.a+t.b*t.b),t.l,t.opacity)}function Be(t,e,n,r){return arguments.length===1?_a(t):new lt(t,e,n,r??1)}function lt(t,e,n,r){this.h=+t,this.c=+e,this.l=+n,this.opacity=+r}function Eo(t){if(isNaN(t.h))return new tt(t.l,0,0,t.opacity);var e=t.h*wo;return new tt(t.l,Math.cos(e)*t.c,Math.sin(e)*t.c,t.opacity)}Dt(lt,Be,ie(mt,{brighter(t){return new lt(this.h,this.c,this.l+Oe*(t??1),this.opacity)},darker(t){return new lt(this.h,this.c,this.l-Oe*(t??1),this.opacity)},rgb(){return Eo(this).rgb()}}));var _o=-.14861,jn=1.78277,Fn=-.29227,je=-.90649,oe=1.97294,fo=oe*je,go=oe*jn,bo=jn*Fn-je*_o;function Na(t){if(t instanceof Nt)return new Nt(t.h,t.s,t.l,t.opacity);t instanceof q||(t=Bn(t));var e=t.r/255,n=t.g/255,r=t.b/255,o=(bo*r+fo*e-go*n)/(bo+fo-go),i=r-o,s=(oe*(n-o)-Fn*i)/je,a=Math.sqrt(s*s+i*i)/(oe*o*(1-o)),l=a?Math.atan2(s,i)*yo-120:NaN;return new Nt(l<0?l+360:l,a,o,t.opacity)}function Fe(t,e,n,r){return arguments.length===1?Na(t):new Nt(t,e,n,r??1)}function Nt(t,e,n,r){this.h=+t,this.s=+e,this.l=+n,this.opacity=+r}Dt(Nt,Fe,ie(mt,{brighter(t){return t=t==null?Ot:Math.pow(Ot,t),new Nt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Rt:Math.pow(Rt,t),new Nt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=isNaN(this.h)?0:(this.h+120)*wo,e=+this.l,n=isNaN(this.s)?0:this.s*e*(1-e),r=Math.cos(t),o=Math.sin(t);return new q(255*(e+n*(_o*r+jn*o)),255*(e+n*(Fn*r+je*o)),255*(e+n*(oe*r)),this.opacity)}}));function Ho(t,e,n,r,o){var i=t*t,s=i*t;return((1-3*t+3*i-s)*e+(4-6*i+3*s)*n+(1+3*t+3*i-3*s)*r+s*o)/6}function Ra(t){var e=t.length-1;return function(n){var r=n<=0?n=0:n>=1?(n=1,e-1):Math.floor(n*e),o=t[r],i=t[r+1],s=r>0?t[r-1]:2*o-i,a=r<e-1?t[r+2]:2*i-o;return Ho((n-r/e)*e,s,o,i,a)}}function Ca(t){var e=t.length;return function(n){var r=Math.floor(((n%=1)<0?++n:n)*e),o=t[(r+e-1)%e],i=t[r%e],s=t[(r+1)%e],a=t[(r+2)%e];return Ho((n-r/e)*e,o,i,s,a)}}var We=t=>()=>t;function Po(t,e){return function(n){return t+n*e}}function Ha(t,e,n){return t=Math.pow(t,n),e=Math.pow(e,n)-t,n=1/n,function(r){return Math.pow(t+r*e,n)}}function Yn(t,e){var n=e-t;return n?Po(t,n>180||n<-180?n-360*Math.round(n/360):n):We(isNaN(t)?e:t)}function Pa(t){return(t=+t)==1?O:function(e,n){return n-e?Ha(e,n,t):We(isNaN(e)?n:e)}}function O(t,e){var n=e-t;return n?Po(t,n):We(isNaN(t)?e:t)}var No=(function t(e){var n=Pa(e);function r(o,i){var s=n((o=se(o)).r,(i=se(i)).r),a=n(o.g,i.g),l=n(o.b,i.b),c=O(o.opacity,i.opacity);return function(u){return o.r=s(u),o.g=a(u),o.b=l(u),o.opacity=c(u),o+""}}return r.gamma=t,r})(1);function Io(t){return function(e){var n=e.length,r=new Array(n),o=new Array(n),i=new Array(n),s,a;for(s=0;s<n;++s)a=se(e[s]),r[s]=a.r||0,o[s]=a.g||0,i[s]=a.b||0;return r=t(r),o=t(o),i=t(i),a.opacity=1,function(l){return a.r=r(l),a.g=o(l),a.b=i(l),a+""}}}var zu=Io(Ra),qu=Io(Ca);function Ia(t,e){e||(e=[]);var n=t?Math.min(e.length,t.length):0,r=e.slice(),o;return function(i){for(o=0;o<n;++o)r[o]=t[o]*(1-i)+e[o]*i;return r}}function La(t){return ArrayBuffer.isView(t)&&!(t instanceof DataView)}function za(t,e){var n=e?e.length:0,r=t?Math.min(n,t.length):0,o=new Array(r),i=new Array(n),s;for(s=0;s<r;++s)o[s]=Ke(t[s],e[s]);for(;s<n;++s)i[s]=e[s];return function(a){for(s=0;s<r;++s)i[s]=o[s](a);return i}}function qa(t,e){var n=new Date;return t=+t,e=+e,function(r){return n.setTime(t*(1-r)+e*r),n}}function W(t,e){return t=+t,e=+e,function(n){return t*(1-n)+e*n}}function Va(t,e){var n={},r={},o;(t===null||typeof t!="object")&&(t={}),(e===null||typeof e!="object")&&(e={});for(o in e)o in t?n[o]=Ke(t[o],e[o]):r[o]=e[o];return function(i){for(o in n)r[o]=n[o](i);return r}}var Wn=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,Gn=new RegExp(Wn.source,"g");function Ua(t){return function(){return t}}function Oa(t){return function(e){return t(e)+""}}function Da(t,e){var n=Wn.lastIndex=Gn.lastIndex=0,r,o,i,s=-1,a=[],l=[];for(t=t+"",e=e+"";(r=Wn.exec(t))&&(o=Gn.exec(e));)(i=o.index)>n&&(i=e.slice(n,i),a[s]?a[s]+=i:a[++s]=i),(r=r[0])===(o=o[0])?a[s]?a[s]+=o:a[++s]=o:(a[++s]=null,l.push({i:s,x:W(r,o)})),n=Gn.lastIndex;return n<e.length&&(i=e.slice(n),a[s]?a[s]+=i:a[++s]=i),a.length<2?l[0]?Oa(l[0].x):Ua(e):(e=l.length,function(c){for(var u=0,d;u<e;++u)a[(d=l[u]).i]=d.x(c);return a.join("")})}function Ke(t,e){var n=typeof e,r;return e==null||n==="boolean"?We(e):(n==="number"?W:n==="string"?(r=Bt(e))?(e=r,No):Da:e instanceof Bt?No:e instanceof Date?qa:La(e)?Ia:Array.isArray(e)?za:typeof e.valueOf!="function"&&typeof e.toString!="function"||isNaN(e)?Va:W)(t,e)}function Lo(t,e){return t=+t,e=+e,function(n){return Math.round(t*(1-n)+e*n)}}var Ro=180/Math.PI,Kn={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function zo(t,e,n,r,o,i){var s,a,l;return(s=Math.sqrt(t*t+e*e))&&(t/=s,e/=s),(l=t*n+e*r)&&(n-=t*l,r-=e*l),(a=Math.sqrt(n*n+r*r))&&(n/=a,r/=a,l/=a),t*r<e*n&&(t=-t,e=-e,l=-l,s=-s),{translateX:o,translateY:i,rotate:Math.atan2(e,t)*Ro,skewX:Math.atan(l)*Ro,scaleX:s,scaleY:a}}var Ge;function Ba(t){let e=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(t+"");return e.isIdentity?Kn:zo(e.a,e.b,e.c,e.d,e.e,e.f)}function ja(t){return t==null||(Ge||(Ge=document.createElementNS("http://www.w3.org/2000/svg","g")),Ge.setAttribute("transform",t),!(t=Ge.transform.baseVal.consolidate()))?Kn:(t=t.matrix,zo(t.a,t.b,t.c,t.d,t.e,t.f))}function qo(t,e,n,r){function o(c){return c.length?c.pop()+" ":""}function i(c,u,d,m,h,f){if(c!==d||u!==m){var b=h.push("translate(",null,e,null,n);f.push({i:b-4,x:W(c,d)},{i:b-2,x:W(u,m)})}else(d||m)&&h.push("translate("+d+e+m+n)}function s(c,u,d,m){c!==u?(c-u>180?u+=360:u-c>180&&(c+=360),m.push({i:d.push(o(d)+"rotate(",null,r)-2,x:W(c,u)})):u&&d.push(o(d)+"rotate("+u+r)}function a(c,u,d,m){c!==u?m.push({i:d.push(o(d)+"skewX(",null,r)-2,x:W(c,u)}):u&&d.push(o(d)+"skewX("+u+r)}function l(c,u,d,m,h,f){if(c!==d||u!==m){var b=h.push(o(h)+"scale(",null,",",null,")");f.push({i:b-4,x:W(c,d)},{i:b-2,x:W(u,m)})}else(d!==1||m!==1)&&h.push(o(h)+"scale("+d+","+m+")")}return function(c,u){var d=[],m=[];return c=t(c),u=t(u),i(c.translateX,c.translateY,u.translateX,u.translateY,d,m),s(c.rotate,u.rotate,d,m),a(c.skewX,u.skewX,d,m),l(c.scaleX,c.scaleY,u.scaleX,u.scaleY,d,m),c=u=null,function(h){for(var f=-1,b=m.length,x;++f<b;)d[(x=m[f]).i]=x.x(h);return d.join("")}}}var Vu=qo(Ba,"px, ","px)","deg)"),Uu=qo(ja,", ",")",")"),Fa=1e-12;function Co(t){return((t=Math.exp(t))+1/t)/2}function Ga(t){return((t=Math.exp(t))-1/t)/2}function Wa(t){return((t=Math.exp(2*t))-1)/(t+1)}var Ou=(function t(e,n,r){function o(i,s){var a=i[0],l=i[1],c=i[2],u=s[0],d=s[1],m=s[2],h=u-a,f=d-l,b=h*h+f*f,x,y;if(b<Fa)y=Math.log(m/c)/e,x=function(k){return[a+k*h,l+k*f,c*Math.exp(e*k*y)]};else{var $=Math.sqrt(b),P=(m*m-c*c+r*b)/(2*c*n*$),L=(m*m-c*c-r*b)/(2*m*n*$),j=Math.log(Math.sqrt(P*P+1)-P),I=Math.log(Math.sqrt(L*L+1)-L);y=(I-j)/e,x=function(k){var S=k*y,_=Co(j),C=c/(n*$)*(_*Wa(e*S+j)-Ga(j));return[a+C*h,l+C*f,c*_/Co(e*S+j)]}}return x.duration=Math.abs(y)*1e3*e/Math.SQRT2,x}return o.rho=function(i){var s=Math.max(.001,+i),a=s*s,l=a*a;return t(s,a,l)},o})(Math.SQRT2,2,4);function Vo(t){return function(e,n){var r=t((e=De(e)).h,(n=De(n)).h),o=O(e.s,n.s),i=O(e.l,n.l),s=O(e.opacity,n.opacity);return function(a){return e.h=r(a),e.s=o(a),e.l=i(a),e.opacity=s(a),e+""}}}var Du=Vo(Yn),Bu=Vo(O);function Uo(t){return function(e,n){var r=t((e=Be(e)).h,(n=Be(n)).h),o=O(e.c,n.c),i=O(e.l,n.l),s=O(e.opacity,n.opacity);return function(a){return e.h=r(a),e.c=o(a),e.l=i(a),e.opacity=s(a),e+""}}}var ju=Uo(Yn),Fu=Uo(O);function Oo(t){return(function e(n){n=+n;function r(o,i){var s=t((o=Fe(o)).h,(i=Fe(i)).h),a=O(o.s,i.s),l=O(o.l,i.l),c=O(o.opacity,i.opacity);return function(u){return o.h=s(u),o.s=a(u),o.l=l(Math.pow(u,n)),o.opacity=c(u),o+""}}return r.gamma=e,r})(1)}var Gu=Oo(Yn),Wu=Oo(O);function Xn(t){return function(){return t}}function Qn(t){return+t}var Do=[0,1];function jt(t){return t}function Zn(t,e){return(e-=t=+t)?function(n){return(n-t)/e}:Xn(isNaN(e)?NaN:.5)}function Ka(t,e){var n;return t>e&&(n=t,t=e,e=n),function(r){return Math.max(t,Math.min(e,r))}}function Ya(t,e,n){var r=t[0],o=t[1],i=e[0],s=e[1];return o<r?(r=Zn(o,r),i=n(s,i)):(r=Zn(r,o),i=n(i,s)),function(a){return i(r(a))}}function Xa(t,e,n){var r=Math.min(t.length,e.length)-1,o=new Array(r),i=new Array(r),s=-1;for(t[r]<t[0]&&(t=t.slice().reverse(),e=e.slice().reverse());++s<r;)o[s]=Zn(t[s],t[s+1]),i[s]=n(e[s],e[s+1]);return function(a){var l=to(t,a,1,r)-1;return i[l](o[l](a))}}function Bo(t,e){return e.domain(t.domain()).range(t.range()).interpolate(t.interpolate()).clamp(t.clamp()).unknown(t.unknown())}function Qa(){var t=Do,e=Do,n=Ke,r,o,i,s=jt,a,l,c;function u(){var m=Math.min(t.length,e.length);return s!==jt&&(s=Ka(t[0],t[m-1])),a=m>2?Xa:Ya,l=c=null,d}function d(m){return m==null||isNaN(m=+m)?i:(l||(l=a(t.map(r),e,n)))(r(s(m)))}return d.invert=function(m){return s(o((c||(c=a(e,t.map(r),W)))(m)))},d.domain=function(m){return arguments.length?(t=Array.from(m,Qn),u()):t.slice()},d.range=function(m){return arguments.length?(e=Array.from(m),u()):e.slice()},d.rangeRound=function(m){return e=Array.from(m),n=Lo,u()},d.clamp=function(m){return arguments.length?(s=m?!0:jt,u()):s!==jt},d.interpolate=function(m){return arguments.length?(n=m,u()):n},d.unknown=function(m){return arguments.length?(i=m,d):i},function(m,h){return r=m,o=h,u()}}function Jn(){return Qa()(jt,jt)}function Za(t){return Math.abs(t=Math.round(t))>=1e21?t.toLocaleString("en").replace(/,/g,""):t.toString(10)}function Xe(t,e){if(!isFinite(t)||t===0)return null;var n=(t=e?t.toExponential(e-1):t.toExponential()).indexOf("e"),r=t.slice(0,n);return[r.length>1?r[0]+r.slice(2):r,+t.slice(n+1)]}function Ft(t){return t=Xe(Math.abs(t)),t?t[1]:NaN}function Ja(t,e){return function(n,r){for(var o=n.length,i=[],s=0,a=t[0],l=0;o>0&&a>0&&(l+a+1>r&&(a=Math.max(1,r-l)),i.push(n.substring(o-=a,o+a)),!((l+=a+1)>r));)a=t[s=(s+1)%t.length];return i.reverse().join(e)}}function tl(t){return function(e){return e.replace(/[0-9]/g,function(n){return t[+n]})}}var el=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function ae(t){if(!(e=el.exec(t)))throw new Error("invalid format: "+t);var e;return new tr({fill:e[1],align:e[2],sign:e[3],symbol:e[4],zero:e[5],width:e[6],comma:e[7],precision:e[8]&&e[8].slice(1),trim:e[9],type:e[10]})}ae.prototype=tr.prototype;function tr(t){this.fill=t.fill===void 0?" ":t.fill+"",this.align=t.align===void 0?">":t.align+"",this.sign=t.sign===void 0?"-":t.sign+"",this.symbol=t.symbol===void 0?"":t.symbol+"",this.zero=!!t.zero,this.width=t.width===void 0?void 0:+t.width,this.comma=!!t.comma,this.precision=t.precision===void 0?void 0:+t.precision,this.trim=!!t.trim,this.type=t.type===void 0?"":t.type+""}tr.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function nl(t){t:for(var e=t.length,n=1,r=-1,o;n<e;++n)switch(t[n]){case".":r=o=n;break;case"0":r===0&&(r=n),o=n;break;default:if(!+t[n])break t;r>0&&(r=0);break}return r>0?t.slice(0,r)+t.slice(o+1):t}var Qe;function rl(t,e){var n=Xe(t,e);if(!n)return Qe=void 0,t.toPrecision(e);var r=n[0],o=n[1],i=o-(Qe=Math.max(-8,Math.min(8,Math.floor(o/3)))*3)+1,s=r.length;return i===s?r:i>s?r+new Array(i-s+1).join("0"):i>0?r.slice(0,i)+"."+r.slice(i):"0."+new Array(1-i).join("0")+Xe(t,Math.max(0,e+i-1))[0]}function jo(t,e){var n=Xe(t,e);if(!n)return t+"";var r=n[0],o=n[1];return o<0?"0."+new Array(-o).join("0")+r:r.length>o+1?r.slice(0,o+1)+"."+r.slice(o+1):r+new Array(o-r.length+2).join("0")}var Fo={"%":(t,e)=>(t*100).toFixed(e),b:t=>Math.round(t).toString(2),c:t=>t+"",d:Za,e:(t,e)=>t.toExponential(e),f:(t,e)=>t.toFixed(e),g:(t,e)=>t.toPrecision(e),o:t=>Math.round(t).toString(8),p:(t,e)=>jo(t*100,e),r:jo,s:rl,X:t=>Math.round(t).toString(16).toUpperCase(),x:t=>Math.round(t).toString(16)};function Go(t){return t}var Wo=Array.prototype.map,Ko=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function ol(t){var e=t.grouping===void 0||t.thousands===void 0?Go:Ja(Wo.call(t.grouping,Number),t.thousands+""),n=t.currency===void 0?"":t.currency[0]+"",r=t.currency===void 0?"":t.currency[1]+"",o=t.decimal===void 0?".":t.decimal+"",i=t.numerals===void 0?Go:tl(Wo.call(t.numerals,String)),s=t.percent===void 0?"%":t.percent+"",a=t.minus===void 0?"−":t.minus+"",l=t.nan===void 0?"NaN":t.nan+"";function c(d,m){d=ae(d);var h=d.fill,f=d.align,b=d.sign,x=d.symbol,y=d.zero,$=d.width,P=d.comma,L=d.precision,j=d.trim,I=d.type;I==="n"?(P=!0,I="g"):Fo[I]||(L===void 0&&(L=12),j=!0,I="g"),(y||h==="0"&&f==="=")&&(y=!0,h="0",f="=");var k=(m&&m.prefix!==void 0?m.prefix:"")+(x==="$"?n:x==="#"&&/[boxX]/.test(I)?"0"+I.toLowerCase():""),S=(x==="$"?r:/[%p]/.test(I)?s:"")+(m&&m.suffix!==void 0?m.suffix:""),_=Fo[I],C=/[defgprs%]/.test(I);L=L===void 0?6:/[gprs]/.test(I)?Math.max(1,Math.min(21,L)):Math.max(0,Math.min(20,L));function ot(A){var Z=k,U=S,It,_r,$e;if(I==="c")U=_(A)+U,A="";else{A=+A;var ve=A<0||1/A<0;if(A=isNaN(A)?l:_(Math.abs(A),L),j&&(A=nl(A)),ve&&+A==0&&b!=="+"&&(ve=!1),Z=(ve?b==="("?b:a:b==="-"||b==="("?"":b)+Z,U=(I==="s"&&!isNaN(A)&&Qe!==void 0?Ko[8+Qe/3]:"")+U+(ve&&b==="("?")":""),C){for(It=-1,_r=A.length;++It<_r;)if($e=A.charCodeAt(It),48>$e||$e>57){U=($e===46?o+A.slice(It+1):A.slice(It))+U,A=A.slice(0,It);break}}}P&&!y&&(A=e(A,1/0));var ke=Z.length+A.length+U.length,it=ke<$?new Array($-ke+1).join(h):"";switch(P&&y&&(A=e(it+A,it.length?$-U.length:1/0),it=""),f){case"<":A=Z+A+U+it;break;case"=":A=Z+it+A+U;break;case"^":A=it.slice(0,ke=it.length>>1)+Z+A+U+it.slice(ke);break;default:A=it+Z+A+U;break}return i(A)}return ot.toString=function(){return d+""},ot}function u(d,m){var h=Math.max(-8,Math.min(8,Math.floor(Ft(m)/3)))*3,f=Math.pow(10,-h),b=c((d=ae(d),d.type="f",d),{suffix:Ko[8+h/3]});return function(x){return b(f*x)}}return{format:c,formatPrefix:u}}var Ye,er,nr;il({thousands:",",grouping:[3],currency:["$",""]});function il(t){return Ye=ol(t),er=Ye.format,nr=Ye.formatPrefix,Ye}function Yo(t){return Math.max(0,-Ft(Math.abs(t)))}function Xo(t,e){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(Ft(e)/3)))*3-Ft(Math.abs(t)))}function Qo(t,e){return t=Math.abs(t),e=Math.abs(e)-t,Math.max(0,Ft(e)-Ft(t))+1}function rr(t,e,n,r){var o=oo(t,e,n),i;switch(r=ae(r??",f"),r.type){case"s":{var s=Math.max(Math.abs(t),Math.abs(e));return r.precision==null&&!isNaN(i=Xo(o,s))&&(r.precision=i),nr(r,s)}case"":case"e":case"g":case"p":case"r":{r.precision==null&&!isNaN(i=Qo(o,Math.max(Math.abs(t),Math.abs(e))))&&(r.precision=i-(r.type==="e"));break}case"f":case"%":{r.precision==null&&!isNaN(i=Yo(o))&&(r.precision=i-(r.type==="%")*2);break}}return er(r)}function sl(t){var e=t.domain;return t.ticks=function(n){var r=e();return ro(r[0],r[r.length-1],n??10)},t.tickFormat=function(n,r){var o=e();return rr(o[0],o[o.length-1],n??10,r)},t.nice=function(n){n==null&&(n=10);var r=e(),o=0,i=r.length-1,s=r[o],a=r[i],l,c,u=10;for(a<s&&(c=s,s=a,a=c,c=o,o=i,i=c);u-- >0;){if(c=ze(s,a,n),c===l)return r[o]=s,r[i]=a,e(r);if(c>0)s=Math.floor(s/c)*c,a=Math.ceil(a/c)*c;else if(c<0)s=Math.ceil(s*c)/c,a=Math.floor(a*c)/c;else break;l=c}return t},t}function et(){var t=Jn();return t.copy=function(){return Bo(t,et())},io.apply(t,arguments),sl(t)}var al={"<s>":"‹start›","</s>":"‹end›","∅":"‹empty slot›"};function ct(t){return al[t]??Zo(t.replaceAll("▁","·"))}function N(t){return t.startsWith("▁")&&t.length>1?ct(t.slice(1)):/^[\p{L}\p{N}]/u.test(t)?`‑${ct(t)}`:ct(t)}function Zo(t){return/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(t)?t:Array.from(t,e=>`U+${e.codePointAt(0)?.toString(16).padStart(4,"0")}`).join(" ")||"‹empty›"}function H(t,e,n){let{spans:r}=e,o=Array.from(e.text),i=new Set(e.word_pieces.flat()),s=c=>!i.has(c)&&r[c][0]===r[c][1],a=e.pieces.map((c,u)=>({label:ct(c),positions:[u],special:s(u),span:r[u]}));if(n==="pieces")return{name:t,text:o,units:a};let l=e.words.map((c,u)=>({label:Zo(o.slice(...c).join("")),positions:e.word_pieces[u],special:!1,span:c}));return{name:t,text:o,units:[...l,...a.filter((c,u)=>!i.has(u))]}}function ll(t,e,n){let r=H("target",t,e),o=n?["∅","<s>"]:["<s>"],i=r.units.flatMap(a=>{let l=a.positions.map(c=>c+o.length).filter(c=>c<t.pieces.length);return l.length?[{...a,positions:l}]:[]}),s=o.slice(0,t.pieces.length).map((a,l)=>({label:ct(a),positions:[l],special:!0,span:null}));return{...r,name:"prefix",units:[...s,...i]}}function cl(t){let e=Array.from({length:t.rows*t.columns},(n,r)=>({label:`row ${Math.floor(r/t.columns)+1}, column ${r%t.columns+1}`,positions:[r],special:!1,span:null}));return{name:"image",text:[],units:e}}function or(t,e,n){let{kind:r,blank_memory:o}=e,i=H("target",t.target,n);if(r==="self")return[i,ll(t.target,n,o)];if(t.source===null)throw new Error(`The record is damaged: it has ${r} attention but no source.`);let s=t.source.kind==="image"?cl(t.source):H("source",t.source,n);return r==="encoder"?[s,s]:[i,s]}function Jo(t,e,n,r,o){let[i,s]=or(t,e,o),a=1+Math.max(...s.units.flatMap(m=>m.positions)),l=F(t.numbers(e.weights),e.heads,n),c=l.length/a,u=new Float32Array(i.units.length*s.units.length);i.units.forEach((m,h)=>{let f=m.positions.map(b=>b+r).filter(b=>b<c);s.units.forEach((b,x)=>{let y=0;for(let $ of f)for(let P of b.positions)y+=l[$*a+P];u[h*s.units.length+x]=y/f.length})});let d=s.units.length;return{rows:i,columns:s,weights:u,row:m=>u.subarray(m*d,(m+1)*d)}}function F(t,e,n){let r=t.length/e;if(typeof n=="number")return t.subarray(n*r,(n+1)*r);let o=new Float32Array(r);for(let i=0;i<e;i++)for(let s=0;s<r;s++){let a=t[i*r+s];o[s]=n==="mean"?o[s]+a/e:Math.max(o[s],a)}return o}function ht(t,e){return Math.max(0,t.units.findIndex(n=>n.positions.includes(e)))}function ti(t,e){let n=e.length/t.length,r=new Array(n).fill(0);for(let o=0;o<t.length;o++)for(let i=0;i<n;i++)r[i]+=t[o]*e[o*n+i];return r}function ul(t,e=1){let n=Array.from(t),r=Math.max(...n),o=n.map(s=>Math.exp((s-r)/e)),i=o.reduce((s,a)=>s+a,0);return o.map(s=>s/i)}function dl(t,e=1){let n=Array.from(t,s=>s/e),r=[...n].sort((s,a)=>a-s),o=0,i=0;for(let s=1;s<=r.length&&(o+=r[s-1],1+s*r[s-1]>o);s++)i=(o-1)/s;return n.map(s=>Math.max(0,s-i))}function pl(t){let e=E(t);return Array.from(t,(n,r)=>r===e?1:0)}function ml(t){let e=Array.from(t,r=>r>Number.NEGATIVE_INFINITY?1:0),n=e.reduce((r,o)=>r+o,0);return e.map(r=>r/n)}var Ze=new Map([["softmax",ul],["sparsemax",dl],["hard",pl],["uniform",ml]]);function ei(t,e,n,r){return Array.from(t,(o,i)=>r?r[i]*Math.tanh(o+e[i]):n*o*e[i])}function E(t){let e=0;for(let n=1;n<t.length;n++)t[n]>t[e]&&(e=n);return e}function K(t){return Array.from(t,(e,n)=>n).sort((e,n)=>t[n]-t[e])}function le(t){let e=0;for(let n=0;n<t.length;n++)t[n]>0&&(e-=t[n]*Math.log2(t[n]));return e}function ni(t,e){let n=0;for(let r=0;r<t.length;r++)n+=Math.abs(t[r]-e[r]);return n/2}function ri(t,e){return 2*[...t].filter(r=>e.has(r)).length/Math.max(1,t.size+e.size)}function oi(t,e){let n=Array.from({length:t.length+1},()=>new Array(e.length+1).fill(0));for(let o=t.length-1;o>=0;o--)for(let i=e.length-1;i>=0;i--)n[o][i]=t[o]===e[i]?n[o+1][i+1]+1:Math.max(n[o+1][i],n[o][i+1]);let r=[];for(let o=0,i=0;o<t.length&&i<e.length;)t[o]===e[i]?(r.push(o++),i++):n[o+1][i]>=n[o][i+1]?o++:i++;return r}function si(t,e){let r={...{view:e,record:0,attention:"",head:"mean",shift:0,userSelected:!1,units:"words",specialTokens:!0,row:0,column:-1,by:"row",stage:5,started:!1,detail:null,temperature:1,playing:!1,speed:1,options:!1,sort:"layer",node:null,pruned:!1,intervention:0,grid:!1},...V(t[0])},o=hl(t[0],r);return e!=="stage"?{...r,stage:0,row:o}:{...r,row:Math.min(o+r.shift,t[0].steps.length-1)}}function hl(t,e){let n=R(t,e.attention);if(n?.kind!=="cross"||t.source?.kind!=="text")return 0;let{rows:r,columns:o,row:i}=Ct(t,n,e.head,e.shift,"words"),s=r.units.map(({label:c,special:u})=>u?0:fl(c)),a=Math.min(4,Math.max(...s)),l=r.units.map((c,u)=>{if(!s[u]||s[u]<a)return-1;let d=E(i(u)),m=Math.abs(d/o.units.length-u/r.units.length);return o.units[d].special?0:i(u)[d]*m||0});return r.units[E(l)]?.positions[0]??0}function fl(t){return t.match(/[\p{L}\p{N}]/gu)?.length??0}function V(t){let{alignment_head:e,head_trace:n,attentions:r}=t,o=r.filter(({kind:l})=>l==="cross").at(-1)??r.at(-1),i=e?.attention??n?.attention??o?.name??"",a=R(t,i)?.heads===1?0:(e??n)?.head??"mean";return{attention:i,head:a,shift:e?.shift??0,userSelected:!1}}function R(t,e){return t.attentions.find(n=>n.name===e)}function ft({record:t,selection:e}){let n=R(t,e.attention);if(!n)return null;let r=n.kind==="cross"?e.shift:0;return Ct(t,n,e.head,r,e.units)}function ce(t){let{attention:e,head:n,shift:r}=V(t),o=R(t,e);return o?.kind==="cross"?Ct(t,o,n,r,"words"):null}function gt(t,e){let n=ht(t.rows,e.row),r=e.column<0?E(t.row(n)):ht(t.columns,e.column);return{row:n,column:r}}var ii=new WeakMap;function Ct(t,e,n,r,o){let i=ii.get(t)??new Map;ii.set(t,i);let s=`${e.name} ${n} ${r} ${o}`,a=i.get(s)??Jo(t,e,n,r,o);return i.set(s,a),a}var ai="Attention weights do not explain why the model chose a word.",Gt={cross:"Cross-attention",self:"Decoder self-attention",encoder:"Encoder self-attention"},ir=["at output","at next input"];function w(t){return p`<data class="number" data-value=${t} value=${t}>${T(t)}</data>`}function T(t){if(Number.isNaN(t))return"–";if(t===Number.NEGATIVE_INFINITY)return"−∞";let e=t.toFixed(3).replace("-","−");return e==="−0.000"?e.slice(1):e}function v(t){return p`<bdi class="token" dir="auto">${t}</bdi>`}function Ht(t,{kind:e,layer:n,heads:r},{head:o,shift:i}){let s=new Set(t.attentions.filter(l=>l.kind===e).map(l=>l.layer)).size,a=[`layer ${n+1} of ${s}`];return r===1?a.push("one head"):typeof o=="number"?a.push(`head ${o+1} of ${r}`):a.push(`${o==="mean"?"mean":"maximum"} of ${r} heads`),e==="cross"&&a.push(ir[i]),`${Gt[e]}: ${a.join(", ")}`}function li(t,e){let n=t.alignment_head?.agreement,{attention:r,head:o,shift:i}=V(t),s=r===e.attention&&o===e.head&&i===e.shift;return n===void 0||!s?e.userSelected?"selected by you":"":n?p`the alignment head: its links agree best with the word aligner (F1 ${w(n)})`:"the alignment head of the model bundle"}function Je(t,e){let n=t.row(e),r=v(t.rows.units[e].label);if(Number.isNaN(n[0]))return p`${r} has no weights at this step: no input follows it.`;let o=a=>v(t.columns.units[a].label),[i,s]=K(n);return p`${r} attends most to ${o(i)} ${w(n[i])}${s===void 0||n[s]<.005?"":p`, then to ${o(s)} ${w(n[s])}`}`}function tn(t,e){let n=v(t.columns.units[e].label),r=t.rows.units.map((a,l)=>t.row(l)[e]||0),o=a=>v(t.rows.units[a].label),[i,s]=K(r);return r[i]>=.005?p`${n} gets the highest weight from ${o(i)}
  ${w(r[i])}${s===void 0||r[s]<.005?"":p`, then from ${o(s)} ${w(r[s])}`}`:p`No word attends to ${n}: all its weights are below ${w(.005)}`}function ue({selection:t,change:e},n,r){let{units:o,scores:i,weights:s,norms:a}=n,l=s.map((x,y)=>x*a[y]),c=Array.from(i??[]).filter(Number.isFinite),u=et().domain([Math.min(0,...c),Math.max(0,...c)]).range([0,100]),d=et().domain([0,Math.max(...l)||1]).range([0,100]),m=et().domain([0,Math.max(1,...s)]).range([0,100]),h=x=>e({column:x},`[data-position="${x}"]`),f=x=>{let y={ArrowDown:1,ArrowUp:-1}[x.key],$=y===void 0?-1:r+y;$<0||$>=o.length||(x.preventDefault(),h($))},b=x=>t.stage===x?"current":"";return p`<div class="scroll tall"><table class="bars" data-testid="positions">
    <caption class="hidden">Score, weight and contribution of each position</caption>
    <colgroup><col class="name"></colgroup>
    <thead><tr><th scope="col"><span class="hidden">position</span></th>
      <th scope="col" class=${b(1)}>score</th><th scope="col" class=${b(2)}>weight</th>
      <th scope="col" class=${b(3)}>weight × ‖value‖</th></tr></thead>
    <tbody @keydown=${f}>
      ${o.map(({label:x,special:y},$)=>p`<tr class=${$===r?"here":""}>
          <th scope="row"><button data-position=${$} tabindex=${$===r?0:-1} title=${x}
            aria-pressed=${$===r} ?data-special=${y} @click=${()=>h($)}><bdi dir="auto">${x}</bdi></button></th>
          <td class=${b(1)} data-testid="score">${i===null?"–":en(u(0),u(Number.isFinite(i[$])?i[$]:0),i[$])}</td>
          <td class=${b(2)} data-testid="weight">${en(0,m(s[$]),s[$])}</td>
          <td class=${b(3)} data-testid="contribution">${en(0,d(l[$]),l[$])}</td>
        </tr>`)}
    </tbody></table></div>`}function Wt(t,e){let n=t.target.pieces[e],{top:r,logp:o}=t.steps[e],i=r.some(([s])=>s===n)?r:[...r,[n,o]];return p`<table class="bars outcome" data-testid="output">
    <caption class="hidden">The most likely pieces</caption>
    <colgroup><col class="name"></colgroup>
    <tbody>${i.map(([s,a])=>p`<tr class=${s===n?"target-row":""} data-piece=${s}>
        <th scope="row">${v(N(s))}${s===n?p` <span class="soft small">output</span>`:""}</th>
        <td data-testid="probability">${en(0,100*Math.exp(a),Math.exp(a))}</td></tr>`)}</tbody></table>`}function en(t,e,n){let[r,o]=t<e?[t,e]:[e,t];return p`<span class="bar"><i .style=${`margin-inline-start:${r}%;width:${o-r}%`}></i></span>${w(n)}`}var ci=M`
  .outcome { max-width: 44rem; }
  .tall { max-height: 34rem; }
  .bars { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: var(--small); }
  .bars thead th {
    text-align: start; font-weight: 500; color: var(--soft); padding: 0 0.5rem 0.25rem;
    position: sticky; top: 0; background: var(--paper); z-index: 1;
  }
  .bars thead .current {
    color: var(--accent); font-weight: 650; box-shadow: inset 0 -2px var(--accent);
  }
  .bars td { padding: 0.1rem 0.5rem; vertical-align: middle; }
  .bars tbody th {
    text-align: start; font-weight: 400; padding: 0.1rem 0.25rem 0.1rem 0; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  .bars .name { width: 8.5rem; }
  .bars th button {
    border-color: transparent; padding: 0 0.35rem; min-height: 1.5rem; width: 100%;
    text-align: start; background: none; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; display: block;
  }
  .bars th button:focus-visible { outline-offset: -2px; }
  .bars tr.here button { border-color: var(--accent); background: var(--accent-soft); }
  .bars button[data-special] { color: var(--soft); }
  .bars td .number {
    font-size: var(--small); float: inline-end; width: 3.4rem; text-align: end; line-height: 1.1rem;
  }
  .bar {
    display: inline-block; width: calc(100% - 3.6rem); height: 0.7rem; vertical-align: middle;
  }
  .bar i {
    display: block; height: 100%; min-width: 1px; background: var(--hue, var(--soft)); border-radius: 2px;
    transition: width 0.35s ease, margin 0.35s ease;
  }
  .bars [data-testid="weight"] { --hue: var(--weight); }
  .bars [data-testid="contribution"] { --hue: var(--value); }
  .outcome .bar i { background: color-mix(in srgb, var(--output) 40%, var(--paper)); }
  .outcome .target-row .bar i { background: var(--output); }
  @media (forced-colors: active) { .bar i { background: CanvasText; forced-color-adjust: none; } }
  @media (max-width: 36rem) { .bars .name { width: 6rem; } .bars td { padding-inline: 0.2rem; } }
`;function gl(t){var e=0,n=t.children,r=n&&n.length;if(!r)e=1;else for(;--r>=0;)e+=n[r].value;t.value=e}function ui(){return this.eachAfter(gl)}function di(t,e){let n=-1;for(let r of this)t.call(e,r,++n,this);return this}function pi(t,e){for(var n=this,r=[n],o,i,s=-1;n=r.pop();)if(t.call(e,n,++s,this),o=n.children)for(i=o.length-1;i>=0;--i)r.push(o[i]);return this}function mi(t,e){for(var n=this,r=[n],o=[],i,s,a,l=-1;n=r.pop();)if(o.push(n),i=n.children)for(s=0,a=i.length;s<a;++s)r.push(i[s]);for(;n=o.pop();)t.call(e,n,++l,this);return this}function hi(t,e){let n=-1;for(let r of this)if(t.call(e,r,++n,this))return r}function fi(t){return this.eachAfter(function(e){for(var n=+t(e.data)||0,r=e.children,o=r&&r.length;--o>=0;)n+=r[o].value;e.value=n})}function gi(t){return this.eachBefore(function(e){e.children&&e.children.sort(t)})}function bi(t){for(var e=this,n=bl(e,t),r=[e];e!==n;)e=e.parent,r.push(e);for(var o=r.length;t!==n;)r.splice(o,0,t),t=t.parent;return r}function bl(t,e){if(t===e)return t;var n=t.ancestors(),r=e.ancestors(),o=null;for(t=n.pop(),e=r.pop();t===e;)o=t,t=n.pop(),e=r.pop();return o}function xi(){for(var t=this,e=[t];t=t.parent;)e.push(t);return e}function wi(){return Array.from(this)}function yi(){var t=[];return this.eachBefore(function(e){e.children||t.push(e)}),t}function $i(){var t=this,e=[];return t.each(function(n){n!==t&&e.push({source:n.parent,target:n})}),e}function*vi(){var t=this,e,n=[t],r,o,i;do for(e=n.reverse(),n=[];t=e.pop();)if(yield t,r=t.children)for(o=0,i=r.length;o<i;++o)n.push(r[o]);while(n.length)}function Kt(t,e){t instanceof Map?(t=[void 0,t],e===void 0&&(e=yl)):e===void 0&&(e=wl);for(var n=new de(t),r,o=[n],i,s,a,l;r=o.pop();)if((s=e(r.data))&&(l=(s=Array.from(s)).length))for(r.children=s,a=l-1;a>=0;--a)o.push(i=s[a]=new de(s[a])),i.parent=r,i.depth=r.depth+1;return n.eachBefore(vl)}function xl(){return Kt(this).eachBefore($l)}function wl(t){return t.children}function yl(t){return Array.isArray(t)?t[1]:null}function $l(t){t.data.value!==void 0&&(t.value=t.data.value),t.data=t.data.data}function vl(t){var e=0;do t.height=e;while((t=t.parent)&&t.height<++e)}function de(t){this.data=t,this.depth=this.height=0,this.parent=null}de.prototype=Kt.prototype={constructor:de,count:ui,each:di,eachAfter:mi,eachBefore:pi,find:hi,sum:fi,sort:gi,path:bi,ancestors:xi,descendants:wi,leaves:yi,links:$i,copy:xl,[Symbol.iterator]:vi};function ut(t){return p`<p class="placeholder" data-testid="placeholder">${t}</p>`}function nt(t){let e=t.summary===null?0:t.numbers(t.summary).length;return ut(p`<strong>${t.model.name}</strong> has no attention${e?p`. The decoder gets the source only as one vector of ${e} numbers, before its first
          word`:""}. The beam search and intervention views work if the record has their data.`)}var kl=128,Al=100,Sl=600,Ml=20,sr=58,Tl=46,Yt=-1;function ki(t){let{record:e,selection:n,change:r}=t,{beam:o}=e;if(!o)return ut(p`This record has no beam search: the target was ${e.created.search==="given"?"given by the user":`found by ${e.created.search??"another search"}`}.`);let i=t.width<Sl?Al:kl,s=_l(o,n.pruned,i+Ml),a=o.status.filter(u=>u==="pruned").length,l=o.best.at(-1)??Yt,c=s.some(({data:u})=>u.node===n.node)?n.node??l:l;return p`<div class="controls">
      <label class="inline"><input type="checkbox" data-testid="pruned" .checked=${n.pruned}
        @change=${()=>r({pruned:!n.pruned})}> show ${a} pruned candidates</label>
      <p class="note">Beam size ${o.beam_size}. Score = log-probability / length<sup>α</sup> with the length
        penalty α = ${o.length_penalty}, which keeps the search from preferring short outputs.</p>
    </div>
    ${El(t,o,c)} ${Hl(t,o,c)} ${Nl(t,o,s,c,i)}
    <p class="legend small soft"><span>in a node: probability, and total log-probability</span> <span><i class="node best key-node"></i> best path</span>
      <span><i class="node key-node"></i> kept</span>
      <span><i class="node finished key-node"></i> finished</span>
      ${n.pruned?p`<span><i class="node pruned key-node"></i> pruned</span>`:p`<span>+3: number of pruned candidates</span>`}</p>`}function El({change:t},e,n){return p`<div class="pair wrap" role="group" aria-label="steps of the best path">
    ${e.best.map((r,o)=>p`<button data-testid="beam-step" aria-pressed=${r===n}
        title=${N(e.pieces[r])}
        @click=${()=>t({node:r},`[data-node="${r}"]`)}>${o+1}</button>`)}</div>`}function _l(t,e,n){let r=[Yt,...t.parents.keys()].map(c=>({node:c,children:[],hidden:0}));t.parents.forEach((c,u)=>{let d=r[c+1];t.status[u]==="pruned"&&!e?d.hidden++:d.children.push(r[u+1])});let o=new Set(t.best),i=({node:c})=>o.has(c)?Number.POSITIVE_INFINITY:t.totals[c];for(let{children:c}of r)c.sort((u,d)=>i(u)<i(d)?1:-1);let s=Kt(r[0]),a=[],l=(c,u)=>{let d=[c];for(let f=c.children?.[0];f;f=f.children?.[0])d.push(f);let m=u,h=d[d.length-1].depth;for(;(a[m]??Number.POSITIVE_INFINITY)<=h;)m++;a[m]=c.depth;for(let f of d)Object.assign(f,{x:m*sr,y:f.depth*n});for(let f of d.reverse())for(let b of f.children?.slice(1)??[])l(b,m+1)};return l(s,0),s.descendants()}function Nl(t,e,n,r,o){let i=Math.max(...n.map(h=>h.x))+sr,s=Math.max(...n.map(h=>h.y))+o+24,a=new Set([Yt,...e.best]),l=({data:h})=>a.has(h.node),c=h=>h.x+sr/2,u=n.filter(h=>h.parent).sort((h,f)=>Number(l(h))-Number(l(f))).map(h=>{let f=h.parent,[b,x,y,$]=[f.y+o,c(f),h.y,c(h)];return Pe`<path class=${l(h)?"best":""} d=${`M${b} ${x}C${b+12} ${x} ${y-12} ${$} ${y} ${$}`} />`}),d=(h,f=!0)=>t.change({node:h},f?`[data-node="${h}"]`:void 0),m=h=>{let f=Rl(h.key,n,r);f!==void 0&&(h.preventDefault(),d(f))};return p`<div class="scroll beam" data-testid="beam">
    <div .style=${`position:relative;width:${s}px;height:${i}px`}>
      <svg aria-hidden="true" width=${s} height=${i}>${u}</svg>
      <div role="tree" aria-label="beam search hypotheses" @keydown=${m}>
        ${n.map(h=>{let{node:f,hidden:b}=h.data,x=f===Yt,y=x?"kept":e.status[f],$=N(x?"<s>":e.pieces[f]),P=x?1:Math.exp(e.logps[f]);return p`<div role="treeitem" class="node ${y} ${l(h)?"best":""}" data-testid="node"
            data-node=${f} data-status=${y} data-best=${l(h)} tabindex=${f===r?0:-1}
            aria-selected=${f===r} aria-level=${h.depth+1} title=${$}
            @click=${()=>d(f)} .style=${`left:${h.y}px;top:${c(h)-Tl/2}px;width:${o}px`}>
            <bdi dir="auto">${$}</bdi>${x?g:p`<small title="probability">${w(P)}</small
            ><small class="total" title="total log-probability">${w(e.totals[f])}</small>`}
            ${b?p`<span class="pruned-count">+${b}<span class="hidden"> pruned</span></span>`:g}
            <span class="hidden">${x?"":y}${l(h)?", on the best path":""}</span></div>`})}
      </div>
    </div>
  </div>`}function Rl(t,e,n){let r=e.find(({data:a})=>a.node===n);if(!r)return;let o=e.filter(({depth:a})=>a===r.depth).sort((a,l)=>a.x-l.x),i=o.indexOf(r);return{ArrowLeft:r.parent,ArrowRight:r.children?.[0],ArrowUp:o[i-1],ArrowDown:o[i+1],Home:e[0],End:e.reduce((a,l)=>l.depth>a.depth?l:a)}[t]?.data.node}var Cl={kept:"is extended at the next step",pruned:"is pruned: other candidates score higher",finished:"is a finished hypothesis"};function Hl(t,e,n){if(n===Yt)return p`<p class="summary" data-testid="summary">The start of the search, before the first piece.</p>`;let r=[];for(let c=n;c!==Yt;c=e.parents[c])r.unshift(c);let i=r.map(c=>e.pieces[c]).filter(c=>c!=="</s>").join("").replaceAll("▁"," ").trim()||"The empty output",s=e.best.indexOf(n),a=e.totals[n],l=()=>t.change({view:"trace",row:s,column:-1,stage:0},"#tab-trace");return p`<div class="detail" data-testid="detail">
    <p class="summary" data-testid="summary">${v(i)} ${Cl[e.status[n]]}.</p>
    <p class="note">log-probability of the last piece ${w(e.logps[n])}; total ${w(a)};
      score at length ${r.length}: ${w(a/r.length**e.length_penalty)}
      ${s>=0?p`<button data-testid="to-trace" @click=${l}>
              Show this step</button>`:g}</p>
  </div>`}var Ai=M`
  .beam { max-height: 75vh; border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; }
  .beam svg { position: absolute; inset: 0; }
  .beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
  .beam path.best { stroke: var(--accent); stroke-width: 3; }
  .node {
    position: absolute; height: 46px; display: grid; grid-template-columns: auto 1fr; align-items: center;
    column-gap: 0.3rem; padding: 0 0.4rem; line-height: 1.2;
    border: 1px solid var(--line); border-radius: 5px; background: var(--paper);
    font-size: var(--small); cursor: pointer;
  }
  .node bdi {
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; grid-column: 1 / 3; min-width: 0;
  }
  .node .number { font-weight: 400; }
  .node small { color: var(--soft); font-size: var(--tiny); }
  .node.best { border-color: var(--accent); background: var(--accent-soft); }
  .node .total { text-align: end; }
  .node.best small { color: var(--ink); }
  .key-node { min-height: 0; }
  .node.finished { border-radius: 12px; border-width: 2px; border-color: var(--soft); }
  .node.finished.best { border-color: var(--accent); }
  .node.pruned { border-style: dashed; color: var(--soft); }
  .node[aria-selected="true"] { box-shadow: 0 0 0 2px var(--accent); }
  .pruned-count {
    position: absolute; right: 2px; top: -11px; font-size: var(--tiny); line-height: 1;
    color: var(--soft);
  }
  .key-node { position: static; width: 1.5rem; height: 0.9rem; cursor: default; }
  .detail { display: grid; gap: 0.25rem; }
`;var nn={ink:"#1c2430",soft:"#566170",line:"#dfe4ea",paper:"#ffffff",card:"#f6f8fa",accent:"#33475f",accentSoft:"#e6ebf2",mark:"#b3261e",negative:"#4a5360",query:"#6f3fa8",key:"#00756c",value:"#9a5a00",weight:"#1c5fb0",context:"#a8236b",output:"#2b7320"},rn={ink:"#e6eaf0",soft:"#a3aebc",line:"#323b47",paper:"#14181e",card:"#1c222a",accent:"#b4c4d8",accentSoft:"#2a3543",mark:"#f59b93",negative:"#9aa5b4",query:"#c7acf5",key:"#5fd0c5",value:"#f2b45a",weight:"#7db4f5",context:"#f28fc0",output:"#8fd47e"},ar={light:[nn.paper,"#6ba4de","#06285e"],dark:[rn.paper,"#2b69b0","#d3e8ff"]};function Si(t){let e=n=>n.replace(/[A-Z]/,r=>`-${r.toLowerCase()}`);return Object.entries(t).map(([n,r])=>`--${e(n)}:${r};`).join("")}var Mi=Me(`:host{${Si(nn)}}@media (prefers-color-scheme:dark){:host{${Si(rn)}}}`);var Ei=matchMedia("(prefers-color-scheme: dark)"),Ti=t=>et().domain([0,.5,1]).range(t).clamp(!0),lr={light:Ti(ar.light),dark:Ti(ar.dark)};function Y(){return Ei.matches?lr.dark:lr.light}var _i=lr.light;function bt(t,e){let n=Ei.matches?rn:nn;return et().domain([-(t||1),0,t||1]).range([n.negative,n.paper,n[e]]).clamp(!0)}function pe(t){return Pl(me(t))>.179?"#000000":"#ffffff"}function X(t){if(!(t>=.005))return"";let e=Y()(t);return`background:${e};color:${t<.2?"var(--ink)":pe(e)}`}function on(t=Y()){return`background:linear-gradient(90deg,${Array.from({length:17},(e,n)=>t(n/16)).join()})`}function me(t){let e=/^#(..)(..)(..)$/.exec(t);return e?e.slice(1).map(n=>Number.parseInt(n,16)):(t.match(/[\d.]+/g)??[]).slice(0,3).map(Number)}function Pl(t){let[e,n,r]=t.map(o=>{let i=o/255;return i<=.04045?i/12.92:((i+.055)/1.055)**2.4});return .2126*e+.7152*n+.0722*r}var Il=6,Ll=2;function an(t){return t.attentions.length?Il:Ll}function sn({weights:t,norms:e}){let n=t.map((o,i)=>o*e[i]),r=n.reduce((o,i)=>o+i,0)||1;return n.map(o=>o/r)}function Ni(t,e,n){let{weights:r,detail:o,units:i}=e,s=t.target.pieces[e.step],a=d=>v(i[d].label),l=v(N(s)),c=v(N(t.target.pieces[e.step-1]??"<s>"));return[()=>p`Step ${e.step+1} of ${t.steps.length}: the decoder has read ${c}. To predict
      ${l}, it computes a query${o?.terms?p` of ${o.terms.query.length} numbers`:""}.`,()=>{if(!e.scores)return p`This is a combination of several heads, which has no scores.`;let d=e.scores.filter(h=>h>Number.NEGATIVE_INFINITY).length,m=E(e.scores);return p`${a(m)} has the highest score of ${d} positions,
        ${w(e.scores[m])}.`},()=>{let[d,m]=K(r);return p`${a(d)} gets the weight ${w(r[d])}${m===void 0?"":p`, ${a(m)} ${w(r[m])}`}.`},()=>{let d=sn(e),m=E(d);return p`Multiplied by the length of its value, ${a(m)} has the largest share,
        ${w(d[m])}.`},()=>{let d=sn(e),m=E(d);return p`${w(d[m])} of the context comes from ${a(m)}.`},()=>cr(t,e.step)][n]()}function cr(t,e){let n=t.target.pieces[e],{top:r,logp:o}=t.steps[e],i=r.find(([s])=>s!==n);return p`The model outputs ${v(N(n))} with <i>p</i> =
    ${w(Math.exp(o))}${i?p`; the best alternative is ${v(N(i[0]))} ${w(Math.exp(i[1]))}`:""}.`}var zl=19,ql={stage:.75,trace:1.6};function xt(t){return t==="stage"||t==="trace"}function ur({target:t},e){return H("target",t,e).units.filter(({positions:n})=>n.length).sort((n,r)=>n.positions[0]-r.positions[0])}function he(t,e){let n=t[e.record];if(e.view==="trace")return{steps:[...n.steps.keys()],stages:[...Array(an(n)).keys()]};let r=t.map(i=>ur(i,e.units)).reduce((i,s)=>s.length>i.length?s:i),o=t.some(({attentions:i})=>i.length);return{steps:r.map(({positions:i})=>i[0]),stages:o?[0,2,4,5]:[0,5]}}function ln({steps:t,stages:e},{row:n,stage:r}){let o=(i,s)=>i.filter(a=>a<=s).length-1;return{step:Math.max(0,o(t,n)),stage:Math.max(0,o(e,r))}}function Pt(t,e,n){let r=he(e,t),{step:o,stage:i}=ln(r,t),s=r.stages.length,a=r.steps.length*s-1,l=o*s+i,c=Math.max(0,Math.min(a,l+n));if(c===l)return{playing:!1};let u=r.steps[Math.floor(c/s)];return{...Math.floor(c/s)===o?{}:{row:u,column:-1},stage:r.stages[c%s],started:!0}}function dr(t,e,n){let r=he(e,t),{step:o}=ln(r,t),i=Math.max(0,Math.min(r.steps.length-1,o+n));return{...t.view==="stage"?{stage:5,started:!0}:{},row:r.steps[i],column:-1,playing:!1}}function cn(t,e){if(t.playing)return{playing:!1};let{playing:n}=Pt(t,e,1);return{...n===!1||!t.started?{row:0,column:-1,stage:0}:{},playing:!0,started:!0,detail:null}}function un(t,e){if(!xt(t.view))return 0;let{steps:n,stages:r}=he(e,t),o=n.length*r.length;return Math.min(ql[t.view],zl/o)/t.speed}function dn(t){return t.attentions.filter(({kind:n})=>n==="cross").every(({span:n})=>n.name==="last")}function Ri(t,e,n){let r=H("source",t.source,e.units),o=H("target",t.target,e.units),i=ur(t,e.units),{attention:s,head:a}=Vl(t,e),l=i[Math.min(n,i.length-1)],c=o.units.findIndex(({positions:u})=>u[0]===l.positions[0]);return{record:t,source:r,target:o,units:i,step:n,attention:s,head:a,bottleneck:dn(t),vector:dn(t)?Dl(t):null,weights:s?Ct(t,s,a,0,e.units).row(c):r.units.map(()=>0),shares:s?Ul(t,s,a,r,l):r.units.map(()=>0),candidates:Ol(t,l,e.units)}}function Vl(t,e){let r=R(t,e.attention)?.kind==="cross"&&e.userSelected,{attention:o,head:i}=r?e:V(t),s=R(t,o),a=s?.kind==="cross"?s:t.attentions.filter(({kind:l})=>l==="cross").at(-1);return a?{attention:a,head:typeof i=="number"&&i>=a.heads?0:i}:{attention:null,head:i}}function Ul(t,e,n,r,o){let i=F(t.numbers(e.weights),e.heads,n),s=F(t.numbers(e.norms),e.heads,n),a=s.length,l=r.units.map(({positions:u})=>o.positions.flatMap(d=>u.map(m=>i[d*a+m]*s[m])).reduce((d,m)=>d+m,0)),c=l.reduce((u,d)=>u+d,0)||1;return l.map(u=>u/c)}function Ol(t,e,n){let[r]=e.positions,o=t.target.pieces[r],i=e.positions.reduce((l,c)=>l+t.steps[c].logp,0),s={label:e.label,piece:o,p:Math.exp(i),output:!0},a=t.steps[r].top.filter(([l])=>l!==o).map(([l,c])=>({label:n==="words"?N(l):ct(l),piece:l,p:Math.exp(c),output:!1}));return[s,...a].sort((l,c)=>c.p-l.p)}function Dl(t){if(t.summary!==null)return t.numbers(t.summary);let{head_trace:e}=t;if(!e)return null;let n=t.numbers(e.values),o=t.numbers(e.weights).length/t.steps.length,i=n.length/o;return n.subarray(n.length-i)}var{I:Ep}=Gr;var Ci=t=>t.strings===void 0;var Hi={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},pr=t=>(...e)=>({_$litDirective$:t,values:e}),pn=class{constructor(e){}get _$AU(){return this._$AM._$AU}_$AT(e,n,r){this._$Ct=e,this._$AM=n,this._$Ci=r}_$AS(e,n){return this.update(e,n)}update(e,n){return this.render(...n)}};var fe=(t,e)=>{let n=t._$AN;if(n===void 0)return!1;for(let r of n)r._$AO?.(e,!1),fe(r,e);return!0},mn=t=>{let e,n;do{if((e=t._$AM)===void 0)break;n=e._$AN,n.delete(t),t=e}while(n?.size===0)},Pi=t=>{for(let e;e=t._$AM;t=e){let n=e._$AN;if(n===void 0)e._$AN=n=new Set;else if(n.has(t))break;n.add(t),Fl(e)}};function Bl(t){this._$AN!==void 0?(mn(this),this._$AM=t,Pi(this)):this._$AM=t}function jl(t,e=!1,n=0){let r=this._$AH,o=this._$AN;if(o!==void 0&&o.size!==0)if(e)if(Array.isArray(r))for(let i=n;i<r.length;i++)fe(r[i],!1),mn(r[i]);else r!=null&&(fe(r,!1),mn(r));else fe(this,t)}var Fl=t=>{t.type==Hi.CHILD&&(t._$AP??=jl,t._$AQ??=Bl)},hn=class extends pn{constructor(){super(...arguments),this._$AN=void 0}_$AT(e,n,r){super._$AT(e,n,r),Pi(this),this.isConnected=e._$AU}_$AO(e,n=!0){e!==this.isConnected&&(this.isConnected=e,e?this.reconnected?.():this.disconnected?.()),n&&(fe(this,e),mn(this))}setValue(e){if(Ci(this._$Ct))this._$Ct._$AI(e,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=e,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var mr=new WeakMap,Ii=pr(class extends hn{render(t){return g}update(t,[e]){let n=e!==this.G;return n&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=e,this.ht=t.options?.host,this.rt(this.ct=t.element)),g}rt(t){if(this.G!==void 0)if(this.isConnected||(t=void 0),typeof this.G=="function"){let e=this.ht??globalThis,n=mr.get(e);n===void 0&&(n=new WeakMap,mr.set(e,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,t),t!==void 0&&this.G.call(this.ht,t)}else this.G.value=t}get lt(){return typeof this.G=="function"?mr.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});var ge=128;function be(t){return Ii(e=>{e&&t(e)})}function Q(t,e,n,r=1){return be(o=>hr(o,t,e,n,r))}function hr(t,e,n,r,o){let i=n.length/e;t.width!==e&&(t.width=e),t.height!==i&&(t.height=i);let s=t.getContext("2d",{willReadFrequently:!0});if(!s||!e||!i)return;let a=Gl(r,o),l=s.createImageData(e,i),c=new Uint32Array(l.data.buffer);for(let u=0;u<n.length;u++){if(Number.isNaN(n[u]))continue;let d=Math.max(-1,Math.min(1,n[u]/o));c[u]=a[Math.round(d*ge)+ge]}s.putImageData(l,0,0)}var Li=new WeakMap;function Gl(t,e){let n=Li.get(t);if(n)return n;let r=Uint32Array.from({length:2*ge+1},(o,i)=>{let[s,a,l]=me(t((i-ge)/ge*e));return 255<<24|l<<16|a<<8|s});return Li.set(t,r),r}function D(t){let{axis:e,side:n,current:r}=t,o=u=>`[data-side="${n}"][data-unit="${u}"]`,i=u=>{let d=u.target.dataset?.unit;d!==void 0&&!(t.selected&&Number(d)===r)&&t.select?.(Number(d))},s=u=>{let d=Wl(u.key,r,e.units.length-1,Xt(e)==="rtl");d!==null&&(u.preventDefault(),t.select?.(d,o(d)))},a=u=>p`<span class="word" data-testid="word" data-side=${n}
    data-unit=${u} data-value="" ?data-special=${e.units[u].special}
    .style=${t.style(u)}>${e.units[u].label}</span>`,l=u=>p`<span role="button" class="word" data-testid="word"
    data-side=${n} data-unit=${u} data-value=${t.value(u)??""}
    ?data-special=${e.units[u].special} tabindex=${u===Math.max(0,r)?0:-1}
    aria-pressed=${t.selected&&u===r} aria-label=${t.label(u)}
    dir=${t.pieces?"auto":g} .style=${t.style(u)}>${e.units[u].label}</span>`,c=t.select?l:a;return p`<div class="sentence">
    <p class="small soft" aria-hidden="true">${t.name}</p>
    <p class="text ${t.pieces?"pieces":""}" role="group" aria-label=${t.name} data-side=${n}
      dir=${Xt(e)} @pointerover=${t.hover?i:g} @focusin=${i} @keydown=${s}
      >${t.pieces?e.units.map((u,d)=>c(d)):fr(e,c)}</p>
  </div>`}function fr(t,e){let n=[],r=0;return t.units.forEach(({span:o,special:i},s)=>{i||!o?n.push(s?" ":"",e(s),s?"":" "):(n.push(t.text.slice(r,o[0]).join(""),e(s)),r=o[1])}),n}function Wl(t,e,n,r){if(t==="Home")return 0;if(t==="End")return n;let o={ArrowRight:1,ArrowLeft:-1,ArrowDown:1,ArrowUp:-1}[t];return o===void 0?null:Math.max(0,Math.min(n,e+((t==="ArrowRight"||t==="ArrowLeft")&&r?-o:o)))}function Xt(t){let e=t.text.find(n=>/\p{L}/u.test(n))??"";return/[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u.test(e)?"rtl":"ltr"}var zi=M`
  .sentence { display: grid; gap: 0.35rem; }
  .sentence .text {
    overflow: clip; overflow-clip-margin: 0.4rem; font-size: 1.6rem; line-height: 1.7;
    overflow-wrap: anywhere; white-space: pre-wrap;
  }
  .word {
    border-radius: 4px; padding: 0.08em 0.06em; margin: 0 -0.04em; cursor: default;
    box-decoration-break: clone; -webkit-box-decoration-break: clone; overflow-wrap: anywhere;
  }
  .word[aria-pressed="true"]:not(:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: 1px;
  }
  .word[data-special] { font-size: 0.65em; color: var(--soft); }
  .pieces {
    display: flex; flex-wrap: wrap; gap: 0.15rem 0.5rem; align-items: baseline; white-space: nowrap;
  }
  .pieces .word { margin: 0; padding: 0.08em 0.25em; max-width: 100%; white-space: normal; }
  @media (max-width: 36rem) { .sentence .text { font-size: 1.3rem; } }
`;function B(t,e,n){let r=0;for(let i=0;i<t.length;i++)r=Math.max(r,Math.abs(t[i]));let o=`${e}: ${t.length} numbers between ${T(-r)} and ${T(r)}`;return p`<figure class="vector" data-testid="vector" data-values=${Array.from(t).join(" ")}>
    <canvas class="strip" role="img" aria-label=${o}
      ${Q(t.length,t,bt(r,n),r)}></canvas>
    <figcaption class="small soft">${e}: ${t.length} numbers, grey is negative; largest ±${w(r)}</figcaption>
  </figure>`}function Vi(t){let{records:e,selection:n,change:r}=t,[o]=e;if(o.source?.kind!=="text")return ut("The comparison needs a source text, which these records do not have.");let{source:i}=o,s=H("source",i,"words"),a=ce(o),l=a?gt(a,n).column:ht(s,n.column);return p`${D({axis:s,side:"columns",name:"source",pieces:!1,hover:!0,current:l,selected:!0,value:()=>null,style:()=>"",label:c=>s.units[c].label,select:(c,u)=>r({by:"column",column:s.units[c].positions[0]??0},u)})}
    <div class="models">${e.map(c=>Yl(c,e,i,l))}</div>
    <p class="note">An underlined word is in no other translation.</p>
    ${Zl(e)}`}function qi(t){let e=t.attentions.filter(({kind:o})=>o==="cross"),[n]=e;return[["the decoder sees",n?dn(t)?"one vector (the last state)":"all states (attention)":"one vector (no attention)"],["score",n?.score.name??"none"],["normalizer",n?.normalizer.name??"none"],["layers",String(e.length)],["heads",String(n?.heads??0)],["parameters",t.model.parameters.toLocaleString("en")]]}function Kl(t,e){let n=e.map(qi),r=qi(t).filter(([,o],i)=>n.some(s=>s[i][1]!==o));return p`<dl class="small facts">${r.map(([o,i])=>p`<div><dt>${o}</dt><dd>${i}</dd></div>`)}</dl>`}function Ui(t,e){let n=({target:s})=>H("target",s,"words").units.map(({label:a})=>a),r=n(t),o=e.filter(s=>s!==t).map(n),i=new Set(o.flatMap(s=>oi(r,s)));return new Set(o.length?r.flatMap((s,a)=>i.has(a)?[]:[a]):[])}function Yl(t,e,n,r){let o=ce(t),i=t.source?.kind==="text"&&t.source.text===n.text;return p`<article data-testid="model-card" data-model=${t.model.name}>
    <h3>${t.model.name}</h3>
    ${Kl(t,e)}
    ${i?o?Xl(t,e,o,r):Ql(t,e):p`<p class="note">This model has another source.</p>`}
  </article>`}function Xl(t,e,n,r){let o=V(t),i=R(t,o.attention),s=n.columns.units.length,a=Math.min(r,s-1),l=Ui(t,e);return p`<p class="target" dir=${Xt(n.rows)}>${n.rows.units.map((c,u)=>{let d=n.row(u)[a];return p`<span class="word ${l.has(u)?"different":""}" data-testid="compared" data-value=${d} ?data-special=${c.special}
      title=${T(d)} .style=${X(d)}>${c.label}</span> `})}</p>
  <p data-testid="summary">${tn(n,a)}.</p>
  <div class="mini" aria-hidden="true">
    <canvas ${Q(s,n.weights,Y())}></canvas>
    <i .style=${`left:${100*a/s}%;width:${100/s}%`}></i>
  </div>
  <p class="note">Rows are target words, columns source words.
    ${i?Ht(t,i,o):g}.</p>`}function Ql(t,e){let n=t.summary===null?null:t.numbers(t.summary);return p`<p class="target" dir="auto">${H("target",t.target,"words").units.map(({label:r,special:o},i)=>p`<span class="word ${Ui(t,e).has(i)?"different":""}" ?data-special=${o}>${r}</span> `)}</p>
    ${n?B(n,"fixed vector","context"):g}
    <p data-testid="summary">This model has no attention: its decoder gets the source as
      ${n?p`one vector of ${n.length} numbers`:"its initial state"}.</p>`}function Zl(t){let e=t.flatMap((n,r)=>t.slice(r+1).map(o=>[n,o]));for(let[n,r]of e){let[o,i]=[ce(n),ce(r)];if(!o||!i||n.target.text!==r.target.text||o.weights.length!==i.weights.length)continue;let s=o.weights.map((c,u)=>c-i.weights[u]),a=o.rows.units.length,l=o.columns.units.length;return p`<section class="difference" data-testid="difference"><h3>Difference of weights</h3>
      <p class="note">Both have the same target. Blue: ${n.model.name} has more weight; grey:
        ${r.model.name}.</p>
      <canvas role="img" aria-label=${`difference of weights, ${a} rows, ${l} columns`}
        .style=${`width:${Math.min(560,l*24)}px;height:auto`}
        ${Q(l,s,bt(1,"weight"))}></canvas>
    </section>`}return p`<p class="note">No two models have the same target, so there is no difference of weights.</p>`}var Oi=M`
  .models {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 1rem;
  }
  article {
    border: 1px solid var(--line); border-radius: 8px; padding: 1rem; display: grid; gap: 0.75rem;
    align-content: start; min-width: 0;
  }
  .different { text-decoration: underline wavy var(--mark) 2px; text-underline-offset: 0.25em; }
  .facts { margin: 0; display: grid; gap: 0.1rem; }
  .facts div { display: flex; gap: 0.6rem; }
  .facts dt { color: var(--soft); min-width: 8rem; }
  .facts dd { margin: 0; }
  article h3 { overflow-wrap: anywhere; }
  .target { font-size: 1.2rem; line-height: 1.65; overflow-wrap: anywhere; }
  .mini { position: relative; max-width: 16rem; overflow: clip; overflow-clip-margin: 2px; }
  .mini canvas { width: 100%; height: auto; border-radius: 3px; }
  .mini i { position: absolute; top: 0; bottom: 0; box-shadow: 0 0 0 1px #fff, 0 0 0 2px #000; }
  .difference { display: grid; gap: 0.5rem; justify-items: start; }
`;var fn=6,Di=z`<munder><mo>∑</mo><mi>d</mi></munder>`,Bi=z`<msub><mi>q</mi><mi>d</mi></msub>`,ji=z`<msub><mi>k</mi><mrow><mi>s</mi><mi>d</mi></mrow></msub>`,gr=z`<msub><mi>e</mi><mi>s</mi></msub>`,Jl=z`<msub><mi>e</mi><mi>j</mi></msub>`,tc=z`<msub><mi>α</mi><mi>s</mi></msub>`,ec=z`<mrow><mo>(</mo><mi>s</mi><mo>−</mo><mi>p</mi><mo>)</mo></mrow>`,nc=z`<mi>D</mi>`,Fi=t=>z`<msup>${t}<mn>2</mn></msup>`;function gn(t){let e=t?z`${Di}<msub><mi>v</mi><mi>d</mi></msub><mi>tanh</mi><mo>(</mo>${Bi}<mo>+</mo>${ji}<mo>)</mo>`:z`<mi>c</mi>${Di}${Bi}<mo>⁢</mo>${ji}`;return p`<math display="block"><mrow>${gr}<mo>=</mo>${e}</mrow></math>`}function bn(t,e){let n=s=>z`<mrow><mi>exp</mi><mo>(</mo>${s}<mo>/</mo><mi>τ</mi><mo>)</mo></mrow>`,o={hard:z`<mn>1</mn><mtext> at the highest score, </mtext><mn>0</mn><mtext> elsewhere</mtext>`,sparsemax:z`<mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo>${gr}<mo>/</mo><mi>τ</mi><mo>−</mo><mi>θ</mi><mo>)</mo>`,uniform:z`<mfrac><mn>1</mn><mi>n</mi></mfrac>`,softmax:z`<mfrac>${n(gr)}<mrow><munder><mo>∑</mo><mi>j</mi></munder>${n(Jl)}</mrow></mfrac>`}[t.name];if(!o)return p`<p class="note">${t.formula} <br><cite>${t.reference}</cite></p>`;let i=e?z`<mo>·</mo><mi>exp</mi><mo>(</mo><mo>−</mo><mn>2</mn>${Fi(ec)}<mo>/</mo>${Fi(nc)}<mo>)</mo>`:"";return p`<math display="block"><mrow>${tc}<mo>=</mo>${o}${i}</mrow></math>`}function xn(t,e){let{detail:n,units:r,scores:o}=t;if(!n?.terms||!o)return p``;let{query:i,keys:s,scale:a,energy:l}=n.terms,c=i.length,u=s.subarray(e*c,(e+1)*c),d=ei(i,u,a,l),m=K(d.map(Math.abs)),h=m.slice(fn).reduce((x,y)=>x+d[y],0),f=d.reduce((x,y)=>x+y,0),b=l?p`v<sub>d</sub> · tanh(q<sub>d</sub> + k<sub>d</sub>)`:p`c · q<sub>d</sub> · k<sub>d</sub>`;return p`<table class="terms" data-testid="summands" data-source=${e}>
    <caption>The score of ${v(r[e].label)}: ${w(o[e])}${l?"":p`, with c = ${w(a)}`}</caption>
    <thead><tr><th scope="col">dimension d</th><th scope="col">q<sub>d</sub></th><th scope="col">k<sub>d</sub></th>
      ${l?p`<th scope="col">v<sub>d</sub></th>`:""}<th scope="col">${b}</th></tr></thead>
    <tbody>
      ${m.slice(0,fn).map(x=>p`<tr><th scope="row">${x+1}</th><td>${w(i[x])}</td><td>${w(u[x])}</td>
          ${l?p`<td>${w(l[x])}</td>`:""}<td>${w(d[x])}</td></tr>`)}
      ${c>fn?p`<tr><th scope="row" colspan=${l?4:3}>the other ${c-fn} dimensions</th>
              <td data-testid="rest">${w(h)}</td></tr>`:""}
      <tr class="total"><th scope="row" colspan=${l?4:3}>sum</th>
        <td data-testid="score-sum">${w(f)}</td></tr>
    </tbody>
  </table>
  ${o[e]===Number.NEGATIVE_INFINITY?p`<p class="note">The span masks this position, so this sum is not used.</p>`:Math.abs(f-o[e])>.005?p`<p class="note">The model’s score is ${w(o[e])}.</p>`:""}`}var Gi=M`
  math {
    font-size: 1.15rem; text-align: start; margin: 0.25rem 0; overflow-x: auto; overflow-y: hidden;
  }
  .terms { border-collapse: collapse; font-size: var(--small); max-width: 100%; }
  .terms caption { text-align: start; padding-bottom: 0.3rem; color: var(--ink); }
  .terms th, .terms td {
    text-align: end; padding: 0.12rem 0.5rem; border-top: 1px solid var(--line); font-weight: 400;
  }
  .terms th { color: var(--soft); }
  .terms thead th { border: 0; }
  .terms .total > * { color: var(--ink); font-weight: 650; border-top: 2px solid var(--line); }
`;var br=128,xr=56,rc=19,oc=44;function wn(t,e){let n=a=>a.flatMap((l,c)=>l.special&&!t.selection.specialTokens?[]:[c]),r=n(e.rows.units),o=n(e.columns.units),i=Math.floor((t.width-br-xr)/Math.max(1,o.length)),s=Math.max(rc,Math.min(oc,i));return{chart:e,rows:r,columns:o,cell:s,at:(a,l)=>e.row(r[a])[o[l]]}}function yn(t,{chart:e,rows:n,columns:r}){let{row:o,column:i}=gt(e,t.selection);return[Math.max(0,n.indexOf(o)),Math.max(0,r.indexOf(i))]}function wr(t,e,n,r){let{record:o}=t;if(R(o,t.selection.attention)?.kind!=="cross"||o.source?.kind!=="text")return g;let{source:s,target:a}={source:o.source,target:o.target},{chart:l,cell:c}=e,u=(d,m,h)=>{let f=d.flatMap((b,x)=>m[b].positions.some(y=>h.includes(y))?[x]:[]);return[f[0],f.length]};return n.map(([d,m])=>{let[h,f]=u(e.columns,l.columns.units,s.word_pieces[d]),[b,x]=u(e.rows,l.rows.units,a.word_pieces[m]);if(!f||!x)return g;let y=`left:${h*c}px;top:${b*c}px`,$=`width:${f*c}px;height:${x*c}px`;return p`<i class=${r} data-testid=${r} data-link=${`${d}-${m}`}
      .style=${`${y};${$}`}></i>`})}var Wi=M`
  .gold { box-shadow: inset 0 0 0 2px var(--ink), inset 0 0 0 3px var(--paper); }
  .link::after {
    content: ""; position: absolute; top: 3px; right: 3px; width: 6px; height: 6px;
    border-radius: 50%;
    background: #fff; border: 1px solid #000;
  }
  .key {
    position: relative; width: 1.1rem; height: 1.1rem; background: color-mix(in srgb, var(--weight) 40%, var(--paper)); border-radius: 2px;
  }
  .key i { position: absolute; inset: 0; }
`;var ic=120,Ki=36,sc=2500;function $n(t,e){let{chart:n,rows:r,columns:o,cell:i,at:s}=e,[a,l]=yn(t,e),c=Y(),u=r.flatMap((k,S)=>o.map((_,C)=>s(S,C))),d=o.map((k,S)=>r.reduce((_,C,ot)=>_+(s(ot,S)||0),0)),m=r.length*o.length<=sc,h=(k,S,_=!0)=>{let C={row:n.rows.units[r[k]].positions[0]??0,column:n.columns.units[o[S]].positions[0]??0};t.change(C,_?`[data-row="${k}"][data-column="${S}"]`:void 0)},f=k=>{let S=lc(k,a,l,e);S&&(k.preventDefault(),h(...S))},b=k=>{let S=k.currentTarget.getBoundingClientRect(),_=Math.floor((k.clientX-S.left)/i),C=Math.floor((k.clientY-S.top)/i);C>=0&&_>=0&&C<r.length&&_<o.length&&(C!==a||_!==l)&&h(C,_,k.type==="click")},x=(k,S)=>{let _=s(k,S),C=i>=Ki&&_>=.005?T(_):"";return p`<span role="gridcell" data-testid="cell" data-row=${k} data-column=${S}
      data-value=${_} aria-colindex=${S+2} tabindex=${k===a&&S===l?0:-1}
      aria-label=${ac(e,k,S)} .style=${C?`color:${pe(c(_))}`:""}
      >${C}</span>`},y=o.map((k,S)=>{let{label:_,special:C}=n.columns.units[k];return p`<span role="columnheader" class="top ${S===l?"here":""}"
      aria-colindex=${S+2} title=${_} ?data-special=${C}><bdi dir="auto">${_}</bdi></span>`}),$=r.map((k,S)=>{let{label:_,special:C}=n.rows.units[k],ot=o.reduce((A,Z,U)=>A+s(S,U),0);return p`<div role="row" class="line" aria-rowindex=${S+2}>
      <span role="rowheader" class="side ${S===a?"here":""}" aria-colindex="1" title=${_}
        ?data-special=${C}><bdi dir="auto">${_}</bdi></span>
      ${m||S===a?o.map((A,Z)=>x(S,Z)):p`<span role="presentation" .style=${`grid-column:span ${o.length}`}></span>`}
      <span role="gridcell" class="sum" data-testid="row-sum" data-value=${ot}
        aria-colindex=${o.length+2} aria-label=${`sum ${T(ot)}`}>${T(ot)}</span>
    </div>`}),P=Math.max(...o.map(k=>n.columns.units[k].label.length),4),I=`${`--head:${Math.min(ic,20+9*P)}px;--cell:${i}px;--label:${br}px;--sum:${xr}px`};--columns:${o.length}`;return p`<div class="scroll matrix ${m?"":"boxed"}" .style=${I} data-testid="matrix">
    <div class="sheet">
      <div class="cells" aria-hidden="true" @pointermove=${b} @click=${b}>
        <canvas data-testid="cells" ${Q(o.length,u,c)}></canvas>
        ${wr(t,e,t.record.links,"link")}
        ${wr(t,e,t.record.gold??[],"gold")}
        <i class="cursor" .style=${`left:${l*i}px;top:${a*i}px`}></i>
      </div>
      <div role="grid" aria-label="attention weights"
        aria-rowcount=${r.length+2} aria-colcount=${o.length+2} @keydown=${f}>
        <div role="row" class="line heads" aria-rowindex="1">
          <span role="columnheader" class="corner" aria-colindex="1">
            <span>${n.rows.name} ↓</span> <span>${n.columns.name} →</span></span>
          ${y}
          <span role="columnheader" class="sum" aria-colindex=${o.length+2}>sum</span>
        </div>
        ${$}
        <div role="row" class="line foot" aria-rowindex=${r.length+2}>
          <span role="rowheader" class="side" aria-colindex="1" 
            title="sum of each column">coverage</span>
          ${d.map((k,S)=>p`<span role="gridcell" data-testid="coverage" data-value=${k}
              aria-colindex=${S+2} aria-label=${`coverage ${T(k)}`} title=${T(k)}
              ><i .style=${`height:${1.5*k/Math.max(...d,1)}rem`}></i
              ><b>${i>=Ki?T(k):""}</b></span>`)}
          <span role="gridcell" aria-label="no sum"></span>
        </div>
      </div>
    </div>
  </div>`}function ac({chart:t,rows:e,columns:n,at:r},o,i){let s=r(o,i),a=n.filter((d,m)=>r(o,m)>s).length,l=a?`number ${a+1}`:"highest",[c,u]=[t.rows,t.columns];return`${c.name} ${c.units[e[o]].label} ← ${u.name} ${u.units[n[i]].label} ${T(s)}, ${Number.isNaN(s)?"no weights":l} of ${n.length}`}function lc(t,e,n,r){let{rows:o,columns:i,at:s}=r,l={ArrowRight:[e,n+1],ArrowLeft:[e,n-1],ArrowDown:[e+1,n],ArrowUp:[e-1,n],Home:[t.ctrlKey?0:e,0],End:[t.ctrlKey?o.length-1:e,i.length-1],PageUp:[e,E(i.map((u,d)=>s(e,d)))],PageDown:[E(o.map((u,d)=>s(d,n))),n]}[t.key];return l?.[0]>=0&&l[1]>=0&&l[0]<o.length&&l[1]<i.length?l:null}var Yi=M`
  .boxed { max-height: min(80vh, 60rem); }
  .sheet { position: relative; width: max-content; padding-bottom: 2px; }
  .line {
    display: grid;
    grid-template-columns: var(--label) repeat(var(--columns), var(--cell)) var(--sum);
    height: var(--cell);
  }
  .line > * { min-width: 0; overflow: hidden; position: relative; }
  .line > [data-row] {
    display: grid; place-items: center; font-size: var(--tiny); line-height: 1; pointer-events: none;
    scroll-margin: var(--head) var(--sum) 0 var(--label);
  }
  .line > [data-row]:focus-visible { outline-offset: -2px; }
  .heads { height: var(--head); position: sticky; top: 0; z-index: 3; background: var(--paper); }
  .top {
    writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
    display: flex; align-items: center; padding: 0.35rem 0;
    font-size: min(var(--small), calc(var(--cell) * 0.75));
    line-height: 1;
  }
  .top bdi, .side bdi {
    line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    max-height: 100%;
  }
  .side {
    display: flex; align-items: center; justify-content: end; padding-inline: 0.25rem 0.6rem;
    position: sticky !important;
    left: 0; z-index: 2; background: var(--paper);
    font-size: min(var(--small), calc(var(--cell) * 0.75)); line-height: 1.2;
  }
  .line .here { font-weight: 700; color: var(--accent); }
  .line [data-special] { color: var(--soft); font-size: min(var(--small), calc(var(--cell) * 0.75)); }
  .corner {
    display: flex; flex-direction: column; justify-content: end; align-items: end;
    padding: 0.35rem 0.6rem;
    font-size: var(--tiny); color: var(--soft); position: sticky !important; left: 0; z-index: 4;
    background: var(--paper);
  }
  .sum {
    display: flex; align-items: end; padding-inline-start: 0.6rem;
    font-size: min(var(--small), calc(var(--cell) * 0.75)); color: var(--soft); line-height: 1.2;
  }
  .line:not(.heads) .sum { align-items: center; }
  .foot { height: 3.2rem; padding-top: 2px; }
  .foot .side { font-size: var(--tiny); color: var(--soft); align-items: start; line-height: 1.5rem; }
  .foot [role="gridcell"] {
    display: flex; flex-direction: column; align-items: center; justify-content: space-between;
  }
  .foot i { width: 70%; max-height: 1.5rem; background: var(--line); border-radius: 0 0 2px 2px; }
  .foot b { font-size: var(--tiny); font-weight: 500; color: var(--soft); line-height: 1.4; }
  .cells {
    position: absolute; left: var(--label); top: var(--head); z-index: 0; overflow: hidden;
    width: calc(var(--columns) * var(--cell)); border-radius: 3px;
  }
  .cells canvas { width: 100%; height: auto; }
  .cells::after {
    content: ""; position: absolute; inset: 0; pointer-events: none; opacity: 0.6;
    box-shadow: inset 0 0 0 1px var(--line);
    background: linear-gradient(var(--line) 1px, transparent 1px) 0 -1px / 100% var(--cell),
      linear-gradient(90deg, var(--line) 1px, transparent 1px) -1px 0 / var(--cell) 100%;
  }
  .cells i { position: absolute; pointer-events: none; }
  .cells .cursor {
    width: var(--cell); height: var(--cell); box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 3px #000;
  }
`;var Xi=["The weights of a word are those of the step that predicts it.","The weights of a word are those of the step that reads it, after the step that predicts it."];function dt(t,e=g,n=!0){let{record:r,selection:o,change:i}=t,s=R(r,o.attention),a=l=>i({...l,userSelected:!0});return p`<div class="controls">
    <label>attention layer
      <select data-testid="attention" @change=${l=>a(uc(t,yr(l)))}>
        ${Object.entries(Gt).map(([l,c])=>{let u=r.attentions.filter(d=>d.kind===l);return u.length?p`<optgroup label=${c}>
                ${u.map(d=>p`<option value=${d.name} ?selected=${d.name===o.attention}>
                    ${c}, layer ${d.layer+1}</option>`)}</optgroup>`:g})}
      </select>
    </label>
    <label>head
      <select data-testid="head" @change=${l=>a({head:dc(yr(l))})}>
        ${kn(s).map(l=>p`<option value=${l} ?selected=${l===o.head}>
            ${typeof l=="number"?l+1:l}</option>`)}
      </select>
    </label>
    ${s?.kind==="cross"?p`<label title=${Xi.join(" ")}>alignment step
            <select data-testid="shift"
              @change=${l=>a({shift:Number(yr(l))})}>
              ${ir.map((l,c)=>p`<option value=${c} ?selected=${c===o.shift}>
                  ${l}</option>`)}
            </select>
          </label>`:g}
    ${n?xe(t):g} ${e}
    ${o.userSelected?p`<button data-testid="reset" @click=${()=>i(V(r),'[data-testid="attention"]')}>
            Back to the default</button>`:g}
  </div>`}function xe({selection:t,change:e}){let n=r=>p`<button data-testid=${r}
    aria-pressed=${t.units===r} @click=${()=>e({units:r})}>${r}</button>`;return p`<div class="field" role="group" aria-label="words or pieces">
    <span aria-hidden="true">units</span>
    <span class="pair">${n("words")}${n("pieces")}</span>
  </div>`}var cc=[[.5,"½×"],[1,"1×"],[2,"2×"]];function vn({records:t,selection:e,change:n}){let r=s=>n({playing:!1,...Pt(e,t,s)}),{playing:o,speed:i}=e;return p`<span class="pair transport">
      <button data-testid="back" aria-label="back" @click=${()=>r(-1)}>←</button>
      <button data-testid="play" class="primary" aria-pressed=${o}
        @click=${()=>n(cn(e,t))}>${o?"❚❚ Pause":"▶ Play"}</button>
      <button data-testid="forward" aria-label="forward" @click=${()=>r(1)}>→</button>
    </span>
    <span class="pair" role="group" aria-label="speed" data-testid="speed">${cc.map(([s,a])=>p`<button aria-pressed=${s===i} data-speed=${s}
        @click=${()=>n({speed:s})}>${a}</button>`)}</span>`}function wt(t,e){let{record:n,selection:r,change:o}=t,i=R(n,r.attention),s=a=>{let{open:l}=a.target;l!==r.options&&o({options:l})};return p`<details class="options" data-testid="options" .open=${r.options}
    @toggle=${s}><summary>${i?`${Ht(n,i,r)}; ${r.units}`:"Details"}</summary><div class="options-body">${e}</div></details>`}function yt({record:t,selection:e}){let n=R(t,e.attention);if(!n)return p``;let r=li(t,e);return p`<p class="note" data-testid="caption">
    <strong>${Ht(t,n,e)}</strong>${r?p`; ${r}`:g}.
    ${n.kind==="cross"?Xi[e.shift]:g} ${ai}
  </p>`}function uc({record:t,selection:e},n){let r=kn(R(t,n));return{attention:n,head:r.includes(e.head)?e.head:r[0]}}function kn(t){let e=[...Array(t?.heads??0).keys()];return e.length>1?[...e,"mean","max"]:e}function dc(t){return t==="mean"||t==="max"?t:Number(t)}function yr(t){return t.target.value}var pc={id:"entropy",title:"entropy",explain:"in bits; 0 if every word attends to one position only",ascending:!0,of:(t,e,n)=>Zi(t,e,n,r=>le(r))},mc={id:"diagonality",title:"diagonality",explain:"1 if every word attends to the same relative position in the other text",ascending:!1,of:(t,e,n)=>Zi(t,e,n,(r,o)=>{let i=0;for(let s=0;s<r.length;s++)i+=r[s]*Math.abs(s/Math.max(1,r.length-1)-o);return 1-i})},hc={id:"agreement",title:"agreement with the alignment head",explain:"F1 of its links with those of the alignment head; 1 if they are the same",ascending:!1,of:(t,e,n,r)=>Ji(t,e,n,r,t.links)},fc={id:"error",title:"alignment error (AER)",explain:"against the gold links; 0 if they are the same",ascending:!0,of:(t,e,n,r)=>{let o=Ji(t,e,n,r,t.gold??[]);return o===void 0?void 0:1-o}};function Qi(t){return[pc,mc,...t.links.length?[hc]:[],...t.gold?[fc]:[]]}function Zi(t,e,n,r){let o=F(t.numbers(e.weights),e.heads,n),i=$r(t,e),s=o.length/i,a=0;for(let l=0;l<s;l++)a+=r(o.subarray(l*i,(l+1)*i),l/Math.max(1,s-1));return a/s}function $r(t,e){return t.numbers(e.norms).length/e.heads}function Ji(t,e,n,r,o){if(e.kind!=="cross"||t.source?.kind!=="text")return;let i=Ct(t,e,n,r,"words"),s=new Set;return i.rows.units.forEach((a,l)=>{let c=E(i.row(l));!a.special&&i.columns.units[c]&&!i.columns.units[c].special&&s.add(`${c}-${l}`)}),ri(s,new Set(o.map(([a,l])=>`${a}-${l}`)))}function es(t){let{record:e,selection:n,change:r}=t;if(!e.attentions.length)return nt(e);let o=Qi(e),i=o.find(({id:s})=>s===n.sort);return p`<div class="controls">
      <label>sort by <select data-testid="sort"
        @change=${s=>r({sort:s.target.value})}>
        <option value="layer" ?selected=${!i}>layer and head</option>
        ${o.map(s=>p`<option value=${s.id} ?selected=${s===i}>${s.title}</option>`)}
      </select></label>
      ${i?p`<p class="note">${i.title}, ${i.explain}</p>`:g}
    </div>
    ${Object.keys(Gt).map(s=>bc(t,s,i))}
    ${gc(t)}
    <div class="controls">
      ${[e.source?.kind==="image"?["image","Show on the image"]:["text","Show in the text"],["matrix","Show as a matrix"],["trace","Show step by step"]].map(([s,a])=>p`<button @click=${()=>r({view:s},`#tab-${s}`)}>${a}</button>`)}
    </div>
    ${yt(t)}`}function gc(t){let e=ft(t);return e?$n(t,wn(t,e)):p``}function bc(t,e,n){let{record:r,selection:o}=t,i=r.attentions.filter(u=>u.kind===e),s=Gt[e];if(!i.length)return g;let a=u=>kn(u).map(d=>({attention:u,head:d,value:n?.of(r,u,d,o.shift)})),l=(u,d)=>p`<div class="tiles">${d}${u.map(m=>xc(t,m,n))}</div>`,c=(u,d)=>((u.value??Number.POSITIVE_INFINITY)-(d.value??Number.POSITIVE_INFINITY))*(n?.ascending?1:-1);return p`<section class="kind" aria-label=${s}><h3>${s}</h3>
    ${n?l(i.flatMap(a).sort(c),g):i.map(u=>l(a(u),p`<span class="layer small soft">layer ${u.layer+1}</span>`))}
  </section>`}function xc(t,{attention:e,head:n,value:r},o){let{record:i,selection:s,change:a}=t,l=typeof n=="number"?`${n+1}`:n,c=o?p`<span class="hidden">layer and head </span>${e.layer+1} · ${l}`:p`<span class="hidden">layer ${e.layer+1}, </span>${typeof n=="number"?"head ":""}${l}`;return p`<button class="tile" data-testid="tile" data-attention=${e.name} data-head=${n}
    aria-pressed=${s.attention===e.name&&s.head===n}
    @click=${()=>a({attention:e.name,head:n,userSelected:!0})}>
    <canvas ${be(u=>wc(u,i,e,n))}></canvas>
    <span class="small">${c}</span>
    ${r===void 0?g:p`<span class="small">${w(r)}</span>`}
  </button>`}var ts=new WeakMap;function wc(t,e,n,r){let o=`${Y()(0)} ${e.model.sha256} ${e.target.text} ${n.name} ${r}`;if(ts.get(t)===o)return;ts.set(t,o);let i=F(e.numbers(n.weights),n.heads,r);hr(t,$r(e,n),i,Y(),1)}var ns=M`
  .kind { display: grid; gap: 0.75rem; }
  .tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
  .layer { width: 4.5rem; }
  .tile {
    display: grid; gap: 0.15rem; padding: 0.4rem; justify-items: center; border-color: transparent;
  }
  .tile canvas { width: 8rem; height: 8rem; border: 1px solid var(--line); border-radius: 3px; }
  .tile[aria-pressed="true"] { font-weight: 650; }
  @media (max-width: 36rem) { .layer { width: 100%; } .tile canvas { width: 6rem; height: 6rem; } }
`;var yc=.5,$c=.05,vc=.6;function os(t){let{record:e,selection:n,change:r}=t,o=e.source,i=ft(t);if(!i)return nt(e);if(R(e,n.attention)?.kind!=="cross")return p`${dt(t)} ${ut("Select a cross-attention layer to see weights on the image.")}`;let{row:s}=gt(i,n),a=(c,u)=>r({by:"row",row:i.rows.units[c].positions[0]??0,column:-1},u),l=p`<label class="inline"><input type="checkbox" data-testid="grid" .checked=${n.grid}
    @change=${()=>r({grid:!n.grid})}> grid of weights</label>`;return p`<div class="captioned">
      ${rs(o,i.row(s),n.grid)}
      <div class="beside">
        ${D({axis:i.rows,side:"rows",name:"target",pieces:n.units==="pieces",hover:!0,current:s,selected:!0,value:()=>null,style:()=>"",label:c=>i.rows.units[c].label,select:a})}
        ${Ac(i,s)} ${Sc(i)} ${yt(t)}
      </div>
    </div>
    <div class="film" role="group" aria-label="all words">
      ${i.rows.units.map((c,u)=>p`<button class="frame" data-testid="frame" aria-pressed=${u===s} @click=${()=>a(u)}>
          ${rs(o,i.row(u),!1)}<span><bdi dir="auto">${c.label}</bdi></span>
          <span class="small soft">${w(le(i.row(u)))} bits</span></button>`)}
    </div>
    ${wt(t,dt(t,l))}`}function rs(t,e,n){let r=e[E(e)],{rows:o,columns:i}=t,s=`aspect-ratio:${t.width}/${t.height}`,a=t.image.startsWith("data:image/")?t.image:"";return p`<figure class="attended" .style=${s}><img src=${a} alt="source image">
    <canvas aria-hidden="true" ${be(l=>kc(l,i,e,r))}></canvas>
    ${n?p`<div class="regions" .style=${`grid-template:repeat(${o},1fr)/repeat(${i},1fr)`}>
            ${Array.from(e,l=>p`<span data-testid="region" data-value=${l}>${T(l)}</span>`)}</div>`:g}</figure>`}function kc(t,e,n,r){t.width=e,t.height=n.length/e;let o=t.getContext("2d");if(!o)return;let i=o.createImageData(t.width,t.height),s=me(Y()(yc));n.forEach((a,l)=>{i.data.set([...s,255*vc*(a/(r||1))],4*l)}),o.putImageData(i,0,0)}function Ac(t,e){let n=t.row(e),r=E(n);return p`<p class="summary" data-testid="summary">${v(t.rows.units[e].label)} attends most to
    ${t.columns.units[r].label}, ${w(n[r])} in ${n.length} regions; entropy
    ${w(le(n))} of ${w(Math.log2(n.length))} bits.</p>`}function Sc(t){let n=t.rows.units.slice(1).map((o,i)=>ni(t.row(i),t.row(i+1))).filter(o=>!Number.isNaN(o));if(!n.length)return p`<p class="note">There is only one word, so no movement.</p>`;let r=n.reduce((o,i)=>o+i,0)/n.length;return p`<p class="note" data-testid="movement">From word to word ${w(r)} of the attention
    moves.${r<$c?p` <strong>Attention is nearly the same for all words. It does not localize them, which
            often means that training failed.</strong>`:g}</p>`}var is=M`
  .captioned {
    display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1.5rem;
    align-items: start;
  }
  .beside { display: grid; gap: 1rem; }
  .attended { position: relative; overflow: hidden; border-radius: 4px; width: 100%; }
  .attended img, .attended canvas, .regions { position: absolute; inset: 0; width: 100%; height: 100%; }
  .attended canvas { image-rendering: auto; }
  .regions { display: grid; }
  .regions span {
    display: grid; place-items: center; font-size: var(--tiny); color: #fff;
    text-shadow: 0 0 2px #000, 0 0 2px #000; outline: 1px solid #ffffff55;
  }
  .film { display: flex; flex-wrap: wrap; gap: 0.75rem; }
  .frame {
    display: grid; gap: 0.15rem; width: 7rem; padding: 0.35rem; text-align: start;
    align-content: start;
  }
  .frame bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @media (max-width: 48rem) { .captioned { grid-template-columns: minmax(0, 1fr); } }
`;var ss=[["uniform","uniform attention","All cross-attention weights are equal."],["masked","mask a word","The word is masked in all cross-attention; the encoder still reads it."],["removed","remove a word","The word is removed from the source."]];function as(t){let{record:e,selection:n}=t,{interventions:r}=e;if(!r?.kinds.length)return ut(p`This record has no interventions. They show how the probability of the
      target changes if a source word is masked or removed, and exist for translations.`);let o=Math.min(n.intervention,r.kinds.length-1),i=r.kinds[o];return p`${Mc(t,r,o)} ${Tc(e,r,o)}
    ${Ec(e,r,o)}
    <p class="note">${ss.find(([s])=>s===i)?.[2]} The
      target is unchanged; the model computes its probabilities again. <strong>This shows
      causes:</strong> if a probability falls, the change caused it. Attention weights do not show
      this.</p>`}function Mc({record:t,change:e},n,r){let[o,i]=[n.kinds[r],n.words[r]],s=ls(t,n),a=b=>n.kinds.flatMap((x,y)=>x===b?[y]:[]),l=b=>a(b).reduce((x,y)=>s[y]>s[x]?y:x),{source:c}=t,u=c?.kind==="text"?H("source",c,"words"):null,d=u&&{...u,units:u.units.filter(b=>!b.special)},m=b=>a(o).find(x=>n.words[x]===b)??r,h=b=>s[m(b)],f=Math.max(...a(o).map(b=>s[b]));return p`<div class="pair wrap" role="group" aria-label="intervention">
      ${ss.filter(([b])=>a(b).length).map(([b,x])=>p`<button data-testid="intervention-kind" data-kind=${b}
          aria-pressed=${b===o}
          @click=${()=>e({intervention:l(b)})}>${x}</button>`)}
    </div>
    ${d&&i!==null?p`${D({axis:d,side:"columns",name:`select the word to ${o==="masked"?"mask":"remove"}; a stronger colour means a greater loss`,pieces:!1,hover:!1,current:i,selected:!0,value:h,style:b=>`${X(h(b)/f)};${b===i?"text-decoration:line-through 2px":""}`,label:b=>d.units[b].label,select:(b,x)=>e({intervention:m(b)},x)})}`:g}`}function ls(t,e){let n=t.numbers(e.logps),{steps:r}=t;return e.kinds.map((o,i)=>r.reduce((s,{logp:a},l)=>s+a-n[i*r.length+l],0))}function cs(t,e,n){let r=t.steps.length,o=t.numbers(e.logps),i=t.numbers(e.token_logps);return t.steps.map(({logp:s},a)=>({before:Math.exp(s),after:Math.exp(o[n*r+a]),token:e.tokens[n][a],tokenP:Math.exp(i[n*r+a])}))}function Tc(t,e,n){let r=cs(t,e,n),[o]=K(r.map(({before:u,after:d})=>Math.abs(d-u))),{before:i,after:s,token:a}=r[o],l=t.target.pieces[o],c=ls(t,e)[n];return p`<p class="summary" data-testid="summary">
    ${v(N(l))} ${s<i?"falls":"rises"} from ${w(i)} to ${w(s)}${a===l?"":p`; the model prefers ${v(N(a))}`}. <span class="soft">The target ${c>0?"loses":"gains"} ${w(Math.abs(c))} nats.</span></p>`}function Ec(t,e,n){return p`<div class="scroll" role="region" tabindex="0" aria-label="before and after">
    <table class="moves" data-testid="intervention" data-index=${n}>
    <caption class="hidden">Probability of each piece before and after</caption>
    <thead><tr><th scope="col">piece</th><th scope="col">before</th>
      <th scope="col"><span class="hidden">chart</span></th>
      <th scope="col">after</th><th scope="col">most likely piece</th></tr></thead>
    <tbody>${cs(t,e,n).map(({before:r,after:o,token:i,tokenP:s},a)=>{let l=t.target.pieces[a];return p`<tr>
        <th scope="row">${v(N(l))}</th>
        <td data-testid="before">${w(r)}</td>
        <td class="slope">${_c(r,o)}</td>
        <td data-testid="after">${w(o)}</td>
        <td data-testid="prediction">${i===l?p`<span class="soft">unchanged</span>`:p`${v(N(i))} ${w(s)}`}</td></tr>`})}</tbody></table></div>`}function _c(t,e){let[n,r]=t<e?[t,e]:[e,t],o=r-n<.005?"none":e<t?"down":"up";return p`<span class="track" role="img" aria-label=${`from ${T(t)} to ${T(e)}`}>
    <i class="change ${o}" .style=${`left:${100*n}%;width:${100*(r-n)}%`}></i>
    <i class="ring" .style=${`left:${100*t}%`}></i>
    <i class="disc ${o}" .style=${`left:${100*e}%`}></i></span>`}var us=M`
  .wrap { flex-wrap: wrap; }
  .moves { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: var(--small); }
  .moves th, .moves td {
    padding: 0.2rem 0.6rem; text-align: start; border-top: 1px solid var(--line);
    white-space: nowrap;
  }
  .moves thead th { border: 0; font-weight: 500; color: var(--soft); font-size: var(--small); }
  .moves tbody th {
    font-weight: 400; padding-inline-start: 0; max-width: 12rem; overflow: hidden;
    text-overflow: ellipsis;
  }
  .slope { width: 45%; min-width: 9rem; }
  .track {
    position: relative; display: block; height: 1rem;
    background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat;
  }
  .track i { position: absolute; top: 50%; }
  .change { height: 4px; margin-top: -2px; background: var(--output); }
  .change.none, .disc.none { background: var(--soft); }
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--output); }
  @media (forced-colors: active) { .change, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;function ps({chart:t,rows:e,columns:n,at:r}){let o=n.map(s=>ds(t.columns.units[s].label)),i=e.map((s,a)=>[ds(t.rows.units[s].label),...n.map((l,c)=>Number.isNaN(r(a,c))?"":String(r(a,c)))]);return[['""',...o],...i].map(s=>`${s.join(",")}\r
`).join("")}function ds(t){return`"${(/^[=+\-@\t\r]/.test(t)?`'${t}`:t).replaceAll('"','""')}"`}var rt=40,$t=120,ms=2,Nc="14px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";function fs({chart:t,rows:e,columns:n,at:r}){let[o,i]=[$t+n.length*rt+8,$t+e.length*rt+8],s=e.flatMap((c,u)=>n.map((d,m)=>{let h=r(u,m),[f,b]=[$t+m*rt,$t+u*rt],x=Number.isNaN(h)?"#fff":_i(h),y=h>=.005?`<text x="${f+rt/2}" y="${b+rt/2+4}" text-anchor="middle" font-size="11" fill="${pe(x)}">${T(h)}</text>`:"";return`<rect x="${f}" y="${b}" width="${rt}" height="${rt}" fill="${x}"/>${y}`})),a=e.map((c,u)=>`<text x="${$t-8}" y="${$t+(u+.5)*rt+5}" text-anchor="end">${hs(t.rows.units[c].label)}</text>`),l=n.map((c,u)=>{let[d,m]=[$t+(u+.5)*rt+5,$t-8];return`<text x="${d}" y="${m}" transform="rotate(-55 ${d} ${m})">${hs(t.columns.units[c].label)}</text>`});return`<svg xmlns="http://www.w3.org/2000/svg" width="${o}" height="${i}" viewBox="0 0 ${o} ${i}" style="font:${Nc}"><rect width="100%" height="100%" fill="#fff"/>${[...s,...a,...l].join("")}</svg>`}async function gs(t){let e=new Image;e.src=`data:image/svg+xml;charset=utf-8,${encodeURIComponent(t)}`,await e.decode();let n=document.createElement("canvas");return n.width=e.width*ms,n.height=e.height*ms,n.getContext("2d").drawImage(e,0,0,n.width,n.height),new Promise((o,i)=>n.toBlob(s=>s?o(s):i(new Error("no picture"))))}function hs(t){let e=[...t].filter(r=>/[^\p{C}]/u.test(r));return(e.length>14?`${e.slice(0,13).join("")}…`:e.join("")).replaceAll("&","&amp;").replaceAll("<","&lt;")}function xs(t){return location.protocol==="about:"?g:p`<button data-testid="csv" @click=${()=>bs(new Blob([ps(t)],{type:"text/csv"}),"weights.csv")}>Save as CSV</button>
    <button data-testid="picture" @click=${async()=>bs(await gs(fs(t)),"attention.png")}>Save picture</button>`}function bs(t,e){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),URL.revokeObjectURL(n.href)}function ws(t){let e=ft(t);if(!e)return nt(t.record);let n=wn(t,e),r=p`<label class="inline"><input type="checkbox" data-testid="special-tokens"
    .checked=${t.selection.specialTokens}
    @change=${()=>t.change({specialTokens:!t.selection.specialTokens})}> special tokens</label>`;return p`${Rc(t,n)} ${$n(t,n)} ${Cc(t,e)}
    ${Hc(t)} ${wt(t,dt(t,[r,xs(n)]))} ${yt(t)}`}function Rc(t,e){let{chart:n,rows:r,columns:o,at:i}=e;if(!r.length||!o.length)return p`<p class="summary">There are only special tokens, which are hidden.</p>`;let[s,a]=yn(t,e);if(Number.isNaN(i(s,a)))return p`<p class="summary" data-testid="summary">${Je(n,r[s])}</p>`;let l=E(o.map((u,d)=>i(s,d))),c=l===a?"the highest of the row":p`the highest of the row is ${v(n.columns.units[o[l]].label)} ${w(i(s,l))}`;return p`<p class="summary" data-testid="summary">
    ${v(n.rows.units[r[s]].label)} ← ${v(n.columns.units[o[a]].label)}
    ${w(i(s,a))}, ${c}</p>`}function Cc({selection:t},e){if(t.specialTokens)return g;let n=e.columns.units.flatMap((i,s)=>i.special?[s]:[]),r=e.rows.units.flatMap((i,s)=>i.special?[]:[n.reduce((a,l)=>a+(e.row(s)[l]||0),0)]),o=r.reduce((i,s)=>i+s,0)/Math.max(1,r.length);return p`<p class="note" data-testid="hidden-tokens">Special tokens are hidden. They have a mean
    weight of ${w(o)} in each row, so rows sum to less than 1.</p>`}function Hc({record:t}){return p`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${on()}></i> 1</span>
    ${t.links.length?p`<span><i class="key"><i class="link"></i></i> link of the alignment head</span>`:g}
    ${t.gold?p`<span><i class="key"><i class="gold"></i></i> gold link</span>`:g}
    <span>Page Up: highest of the row; Page Down: highest of the column</span>
  </p>`}var ys="regard.explain/2",$s={u16:2,f16:2,f32:4};async function vr(t){let{arrays:e,data:n,...r}=JSON.parse(t);if(r.format!==ys)throw new Error(`This viewer reads the format ${ys}, but the record has the format “${r.format}”. Create the page with the version of regard that wrote the record.`);let o=await Pc(n),i=[],s=0;for(let{type:c,shape:u}of e)i.push(s),s+=$s[c]*vs(u);if(o.length!==s)throw new Error(`The record is damaged: its arrays have ${o.length} bytes instead of ${s}.`);let a=[];return{...r,numbers:c=>(a[c]??=Ic(o,i[c],e[c]),a[c])}}async function Pc(t){let e=atob(t),n=new Uint8Array(e.length);for(let o=0;o<e.length;o++)n[o]=e.charCodeAt(o);let r=new Blob([n]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(r).arrayBuffer())}function Ic(t,e,{type:n,shape:r}){let o=vs(r),i=t.slice(e,e+o*$s[n]).buffer;if(n==="f32")return new Float32Array(i);let s=new Uint16Array(i),a=new Float32Array(o);for(let l=0;l<o;l++)a[l]=n==="u16"?s[l]/65535:Lc(s[l]);return a}function Lc(t){let e=t&32768?-1:1,n=t>>10&31,r=t&1023;return n===0?e*r*2**-24:n===31?r?Number.NaN:e*Number.POSITIVE_INFINITY:e*(1+r/1024)*2**(n-15)}function vs(t){return t.reduce((e,n)=>e*n,1)}var zc=.12;function ks(t,e){let{records:n,selection:r}=t,{record:o,step:i,units:s}=e,a=n.length>1,l=i>=s.length;return p`<section class="lane" data-testid="lane" data-model=${o.model.name}
    data-stage=${r.stage} data-ended=${l} aria-label=${o.model.name}>
    ${a?p`<h3>${o.model.name}</h3>`:g}
    ${qc(t,e)}
    <div class="between" aria-hidden="true"></div>
    ${e.bottleneck?Oc(t,e):Uc(t,e)}
    ${Dc(t,e,a?3:5)}
    ${Vc(t,e)}
    ${Xr(e,r.stage,l)} ${Yr(e,r.stage,l)}
  </section>`}function we(t,{record:e},n,r=-1){let o=t.records.indexOf(e),i=o===t.selection.record?{}:{record:o};t.change({...i,detail:n,column:r,playing:!1,stage:t.selection.stage})}function As({source:t,target:e},n){let r=Math.max(t.text.length,e.text.length)*Math.min(2,n);return r<90?1:Math.max(.4,Math.sqrt(90/r))}function qc(t,e){let{source:n,weights:r,bottleneck:o}=e,{selection:i,records:s}=t,a=i.stage>=2&&!o;return Ss("source",n,c=>{let{label:u,special:d,positions:m}=n.units[c],h=a?r[c]:0,f=h>=zn;return p`<button class="word" data-testid="source-word" data-unit=${c} ?data-special=${d}
      aria-label=${o?u:`${u}, weight ${T(r[c])}`}
      @click=${()=>we(t,e,o?"context":"weight",m[0])}
      ><span class="ink" .style=${X(h)}>${u}</span><small aria-hidden="true"
      class=${f&&h>=.05?"":"faint"}>${o?g:p`<data data-value=${r[c]}>${r[c].toFixed(2)}</data>`}</small></button>`},As(e,s.length),i.units)}function Vc(t,e){let{target:n,units:r,step:o}=e,{selection:i,records:s,change:a}=t,l=i.stage===5;return Ss("target",n,u=>{let d=n.units[u],m=r.findIndex(({positions:x})=>x[0]===d.positions[0]),h=m<o||m===o&&l?"said":m===o?"slot":"coming",f=h==="coming"&&i.started,b=()=>a({row:d.positions[0],column:-1,stage:5,playing:!1,started:!0});return p`<button class="word ${h} ${m===o?"now":""} ${f?"unseen":""}"
      data-testid="target-word" data-unit=${m} data-when=${h} ?data-special=${d.special}
      tabindex=${f?-1:0} aria-hidden=${f} aria-current=${m===o?"step":g}
      @click=${b}><span class="ink">${d.label}</span></button>`},As(e,s.length),i.units)}function Ss(t,e,n,r,o){return p`<div class="line-of-words ${t}" .style=${`--fit:${r}`}>
    <span class="name" aria-hidden="true">${t}</span>
    <p class="words" role="group" aria-label=${t} data-side=${t} dir=${Xt(e)}>${o==="pieces"?e.units.map((i,s)=>p`${n(s)} `):fr(e,n)}</p></div>`}function Uc(t,e){let{source:n,shares:r,units:o,step:i}=e,s=o[i-1]?.label??"‹start›";return p`<div class="mix">
    <button class="query" data-testid="query" @click=${()=>we(t,e,"query")}
      ><small>query after</small> <bdi>${s}</bdi></button>
    <button class="pill" data-testid="context" aria-label="context, from the source words"
      @click=${()=>we(t,e,"context")}>
      <small class="pill-name">context</small>
      <span class="parts">${r.map((a,l)=>p`<span class="part" data-testid="share" data-unit=${l}
          data-value=${a} .style=${`flex-grow:${a}`} title=${n.units[l].label}>${a>=zc?p`<bdi>${n.units[l].label}</bdi>`:g}</span>`)}</span></button>
  </div>`}function Oc(t,e){let{vector:n}=e,r=Array.from(n??[]).reduce((o,i)=>Math.max(o,Math.abs(i)),0);return p`<div class="mix">
    <button class="pill chip" data-testid="chip" @click=${()=>we(t,e,"context")}>
      <small class="pill-name">fixed vector: the whole sentence in ${n?p`<b>${n.length}</b> numbers`:"one state"}</small>
      ${n?p`<canvas class="strip" aria-hidden="true"
              ${Q(n.length,n,bt(r,"context"),r)}></canvas>`:g}</button></div>`}function Dc(t,e,n){let{candidates:r,units:o,step:i}=e,s=t.selection.stage===5&&i<o.length,a=r.slice(0,n),l=r.find(({output:c})=>c);return a.includes(l)||(a[a.length-1]=l),p`<button class="race" data-testid="race" aria-label="the most likely next words"
    @click=${()=>we(t,e,"output")}>${a.map(({label:c,piece:u,p:d,output:m})=>p`<span class="runner ${m?"winner":""}"
        data-testid="candidate" data-piece=${u} data-output=${m}>
        <bdi>${c}</bdi><span class="runway"><i .style=${`width:${s?100*d:0}%`}></i></span>
        <span class="p">${s?w(d):g}</span></span>`)}</button>`}function Ar({record:t,selection:e}){let n=t.head_trace;if(n===null)return!1;let{attention:r,head:o,userSelected:i}=e;return!i||n.attention===r&&n.head===o}function An(t){let{record:e,selection:n}=t,r=Ar(t)?e.head_trace:null,o=R(e,r?.attention??n.attention);if(!o||o.kind==="encoder")return null;let[,{units:i,name:s}]=or(e,o,"pieces"),a=s==="source"&&e.source?.kind==="text"?e.source:null,l=m=>a&&n.units==="words"?N(a.pieces[m]):i[m].label,c=i.map((m,h)=>({...m,label:l(h)})),u=Math.min(n.row,e.steps.length-1),d={record:e,attention:o,step:u,units:c,temperature:n.temperature};return r?Bc(d,r):jc(d,n.head)}function Bc(t,e){let{record:n,attention:r,step:o,units:i}=t,s=P=>kr(n.numbers(P),o,n.steps.length),a=n.numbers(e.values),l=a.length/i.length,c=i.map((P,L)=>Math.hypot(...a.subarray(L*l,(L+1)*l))),u=s(e.scores),d=s(e.weights),m=Ms(t,u,d),{queries:h,keys:f,scale:b,energy:x}=e,$={terms:h===null||f===null||b===null?null:{query:s(h),keys:n.numbers(f),scale:b,energy:x===null?null:n.numbers(x)},context:ti(m,a),values:a};return{attention:r,step:o,units:i,scores:u,recorded:d,weights:m,norms:c,detail:$}}function jc(t,e){let{record:n,attention:r,step:o,units:i}=t,s=n.steps.length,{heads:a}=r,l=kr(F(n.numbers(r.weights),a,e),o,s),c=F(n.numbers(r.norms),a,e),u=r.scores!==void 0&&typeof e=="number"?kr(F(n.numbers(r.scores),a,e),o,s):null,m=u&&t.temperature!==1?Ms(t,u,l):Array.from(l);return{attention:r,step:o,units:i,scores:u,recorded:l,weights:m,norms:c,detail:null}}function Ms(t,e,n){let{attention:r,temperature:o}=t,i=Ze.get(r.normalizer.name);if(!i)return Array.from(n);let s=i(e,o);if(r.prior===null)return s;let a=i(e,1);return s.map((l,c)=>a[c]?l*n[c]/a[c]:0)}function kr(t,e,n){let r=t.length/n;return t.subarray(e*r,(e+1)*r)}var Sn=8,Fc={query:"The query",weight:"One weight",context:"The context",output:"The next word"};function Ts(t,e){let{selection:n,change:r}=t,o=n.detail,{attention:i,head:s,units:a,step:l}=e,c={...n,attention:i?.name??"",head:s,userSelected:!0},u=i?An({...t,selection:c}):null,d=a[Math.min(l,a.length-1)],m=d.positions.length>1,h=f=>f.currentTarget.closest("dialog")?.close();return p`<dialog class="numbers" data-testid="numbers" aria-labelledby="numbers-title"
      @close=${()=>r({detail:null})}>
    <div class="numbers-head"><h3 id="numbers-title">${Fc[o]}
      <span class="soft">for ${v(d.label)}</span></h3>
      <button data-testid="close" @click=${h}>Close</button></div>
    ${m?p`<p class="note">${v(d.label)} has ${d.positions.length} pieces. These are the
          numbers of the first, ${v(N(e.record.target.pieces[d.positions[0]]))}.</p>`:g}
    ${u&&o!=="output"?Gc[o](t,e,u):Xc(e,o)}
  </dialog>`}var Gc={query:Wc,weight:Kc,context:Yc};function Wc(t,e,{detail:n}){return n?.terms?p`<p>The decoder computes the query from its state. Its product with the key of a source
        word is the score of the word.</p>
      ${B(n.terms.query,"query q","query")}`:Sr()}function Kc(t,e,n){let{column:r}=t.selection,{weights:o,units:i,scores:s,attention:a,detail:l}=n,c=r<0?E(o):Math.min(r,i.length-1);return p`<p class="summary">${v(i[c].label)} has the weight
      ${w(o[c])}${s?p`, from the score ${w(s[c])}`:g}.</p>
    ${ue(t,n,c)}
    <div class="formulas">
      <div><h4>Score</h4>${l?.terms?gn(l.terms.energy!==null):g}
        ${l?.terms?xn(n,c):Sr()}</div>
      <div><h4>Weight</h4>${bn(a.normalizer,a.prior==="gaussian")}
        <p class="note">${a.score.formula} <br><cite>${a.score.reference}</cite></p></div>
    </div>`}function Yc(t,e,n){let{detail:r,weights:o,units:i}=n,s=E(o);if(!r)return p`${ue(t,n,s)} ${Sr()}`;let{values:a}=r,l=r.context.length,c=E(r.context.map(Math.abs)),u=h=>o[h]*a[h*l+c],d=K(i.map((h,f)=>Math.abs(u(f)))),m=d.slice(Sn).reduce((h,f)=>h+u(f),0);return p`${B(r.context,"context, Σ weight · value","context")}
    <table class="terms" data-testid="products"><caption>Number ${c+1} of the context, the largest:
      the sum of weight × value over the source pieces</caption>
      <thead><tr><th scope="col">piece</th><th scope="col">weight</th><th scope="col">value</th>
        <th scope="col">product</th></tr></thead>
      <tbody>${d.slice(0,Sn).map(h=>p`<tr><th scope="row">${v(i[h].label)}</th><td>${w(o[h])}</td>
          <td>${w(a[h*l+c])}</td><td>${w(u(h))}</td></tr>`)}
      ${d.length>Sn?p`<tr><th scope="row" colspan="3">the other ${d.length-Sn} pieces</th>
              <td>${w(m)}</td></tr>`:g}
      <tr class="total"><th scope="row" colspan="3">sum</th><td data-testid="context-sum"
        >${w(r.context[c])}</td></tr></tbody></table>`}function Xc({record:t,vector:e,units:n,step:r},o){let i=n[Math.min(r,n.length-1)].positions[0];return o==="output"?Wt(t,i):p`<p>The decoder has the source only as this vector, the same at every step, however long
      the sentence is.</p>
    ${e?B(e,"fixed vector","context"):g}`}function Sr(){return p`<p class="note">The record has the vectors of another head.</p>`}var Es=M`
  .numbers {
    border: 1px solid var(--line); border-radius: 12px; background: var(--paper); color: var(--ink);
    width: min(64rem, 100vw - 2rem); max-height: calc(100dvh - 2rem); padding: 1.25rem 1.5rem;
    overflow: auto;
  }
  .numbers[open] { display: grid; gap: 1rem; }
  .numbers > * { min-width: 0; }
  .numbers::backdrop { background: rgb(0 0 0 / 35%); }
  .numbers-head { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
  .numbers h4 { margin: 0; font-size: 1rem; }
  .numbers .tall { max-height: 16rem; }
  .formulas { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; }
  .formulas > * { min-width: 0; overflow: auto; }
  @media (max-width: 46rem) { .formulas { grid-template-columns: minmax(0, 1fr); } }
`;var _s=M`
  .panel:has(.stagecraft) { gap: 0; }
  .stagecraft {
    --type: 1rem;
    font-size: var(--type); line-height: 1.35; display: flex; flex-direction: column;
    height: max(26rem, calc(100dvh - var(--above, 0px) - var(--below, 1.75rem)));
  }
  .lanes { flex: 1; min-height: 0; display: grid; grid-auto-columns: minmax(0, 1fr); gap: 0.75em 2em; }
  .lane {
    position: relative; min-height: 0; display: grid; justify-items: center;
    grid-template-columns: minmax(0, 1fr);
    grid-template-rows: auto minmax(1.5em, 1fr) auto auto auto; isolation: isolate;
  }
  .lane:has(> h3) { grid-template-rows: auto auto minmax(1.5em, 1fr) auto auto auto; }
  .lane > h3 { font-size: 1em; justify-self: start; }
  .stagecraft button.word, .query, .pill, .race {
    border: 0; background: none; padding: 0; min-height: 0; text-align: inherit;
    max-width: 100%;
  }

  .line-of-words {
    width: 100%; display: grid; justify-items: center; min-height: 0; overflow-y: auto;
    overflow-x: clip; scrollbar-width: thin;
  }
  .line-of-words .name { color: var(--soft); font-size: max(var(--floor, 0.875rem), 0.8em); }
  .words {
    font-size: max(var(--floor, 0.875rem), calc(2em * var(--fit))); line-height: 1.25;
    text-align: center; text-wrap: balance; overflow-wrap: anywhere;
  }
  .stagecraft button.word {
    display: inline-block; margin: 0 0.05em; cursor: pointer; line-height: inherit; font-size: 1em;
    vertical-align: top;
  }
  .stagecraft .word .ink {
    display: inline-block; padding: 0.04em 0.14em; border-radius: 0.2em;
  }
  .lane:not([data-stage="0"]) .ink { transition: background var(--beat), color var(--beat); }
  .stagecraft .word:hover .ink { box-shadow: 0 0 0 2px var(--line); }
  .stagecraft .word[data-special] { font-size: max(var(--floor, 0.875rem), 0.6em); align-self: center; }
  .source .word small {
    display: block; text-align: center; font-size: max(var(--floor, 0.875rem), 0.42em);
    line-height: 1.2; color: var(--weight); font-weight: 600; height: 1.2em;
  }
  .source .word small.faint { opacity: 0; }
  .chipped .source .word small { display: none; }

  .target { padding-top: 0.35em; }
  .target .slot .ink { color: transparent; box-shadow: inset 0 -0.12em var(--output); border-radius: 0; }
  .target .coming .ink { opacity: 0.32; font-weight: 400; }
  .target .unseen { visibility: hidden; }
  .target .said.now .ink {
    background: color-mix(in srgb, var(--output) 16%, var(--paper));
    box-shadow: inset 0 -0.12em var(--output);
    animation: drop calc(0.8 * var(--beat)) cubic-bezier(0.3, 1.4, 0.6, 1) backwards;
    animation-delay: calc(0.3 * var(--beat));
  }
  @keyframes drop { from { translate: 0 -2.2em; opacity: 0; } }

  .mix { display: flex; gap: 0.75em; align-items: stretch; justify-content: center; width: min(100%, 46em); }
  .query {
    color: var(--query); border: 2px solid currentcolor !important; border-radius: 0.6em;
    padding: 0.3em 0.7em !important; display: grid; align-content: center; flex: none;
    max-width: 32% !important; overflow: hidden; font-weight: 600; cursor: pointer;
  }
  .query bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .query small, .pill-name { font-size: max(var(--floor, 0.875rem), 0.8em); font-weight: 400; white-space: nowrap; }
  .lane[data-stage="0"] .query { animation: ask var(--beat) ease-out; }
  @keyframes ask { from { background: color-mix(in srgb, var(--query) 30%, var(--paper)); } }
  .pill {
    flex: 1; min-width: 0; display: grid; gap: 0.15em; color: var(--context);
    border: 2px solid currentcolor !important; border-radius: 0.6em; overflow: hidden;
    padding: 0.15em 0.3em 0.3em !important; cursor: pointer;
  }
  .pill-name { text-align: start; padding-inline: 0.3em; }
  .parts { display: flex; height: 1.7em; gap: 1px; border-radius: 0.3em; overflow: hidden; }
  .part {
    min-width: 0; flex-basis: 0; overflow: hidden; display: grid; place-items: center;
    color: var(--ink); background: color-mix(in srgb, var(--value) 38%, var(--paper));
    font-weight: 600; white-space: nowrap;
    transition: opacity var(--beat), scale var(--beat);
    transform-origin: top;
  }
  .part:nth-child(even) { background: color-mix(in srgb, var(--value) 24%, var(--paper)); }
  .part bdi { overflow: hidden; text-overflow: ellipsis; max-width: 100%; padding-inline: 0.3em; }
  .lane:is([data-stage="0"], [data-stage="2"]) .part { opacity: 0; scale: 1 0; transition: none; }
  .chip { width: min(100%, 30em); flex: none; text-align: center; padding: 0.3em 0.6em 0.5em !important; }
  .chip .pill-name { text-align: center; white-space: normal; }
  .chip .strip { height: 1.7em; }

  .race {
    width: min(100%, 26em); display: grid; gap: 0.1em; margin-top: 0.8em !important; cursor: pointer;
    transition: opacity 0.2s;
  }
  .runner { display: grid; grid-template-columns: 7.5em 1fr 3.6em; gap: 0.6em; align-items: center; }
  .runner bdi { text-align: end; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .runner .runway { height: 0.75em; }
  .runner .runway i {
    display: block; height: 100%; border-radius: 0.2em; min-width: 1px;
    background: color-mix(in srgb, var(--output) 38%, var(--paper));
    transition: width calc(0.8 * var(--beat)) cubic-bezier(0.3, 0.9, 0.4, 1);
  }
  .runner.winner .runway i { background: var(--output); }
  .lane[data-stage="5"] .runner.winner bdi { font-weight: 700; color: var(--output); }
  .lane:not([data-stage="5"]) .race { opacity: 0.5; }
  .lane:not([data-stage="5"]) .runner .runway i { transition: none; }
  .lane[data-ended="true"] :is(.mix, .race) { opacity: 0.25; }
  .runner .p .number { font-weight: 400; }

  .arcs { position: absolute; inset: 0; width: 100%; height: 100%; z-index: -1; overflow: visible; }
  .arcs path { fill: none; }
  .arc {
    stroke: var(--weight); opacity: 0.75; stroke-dasharray: 1; stroke-dashoffset: 0;
    animation: grow var(--beat) ease-out;
  }
  @keyframes grow { from { stroke-dashoffset: 1; } }
  .lane:not([data-stage="2"]) .arc { animation: none; }
  .threads .arc { stroke: var(--soft); opacity: 0.55; }
  .out { stroke: var(--output); stroke-width: 2px; opacity: 0; stroke-dasharray: 3 5; }
  .lane[data-stage="5"] .out { opacity: 0.8; }
  .dot {
    position: absolute; left: 0; top: 0; width: var(--size); height: var(--size); border-radius: 50%;
    background: var(--value); opacity: 0; offset-rotate: 0deg;
    animation: flow calc(0.75 * var(--beat)) calc(var(--delay) * var(--beat)) ease-in;
  }
  @keyframes flow {
    from { offset-distance: 0%; opacity: 1; }
    to { offset-distance: 100%; opacity: 1; }
  }

  .telling {
    font-size: 1.15em; min-height: 2.9em; text-align: center; text-wrap: balance; padding: 0.5em 0;
  }
  .telling .number { font-weight: 600; }
  .bar-of-controls {
    display: flex; flex-wrap: wrap; gap: 0.5em 0.9em; align-items: center; position: relative;
  }
  .bar-of-controls .field { display: block; }
  .bar-of-controls .field > span[aria-hidden] { display: none; }
  .phases { display: flex; gap: 0.3em; }
  .phases button { border-radius: 1em; --hue: var(--weight); border-color: var(--hue); color: var(--hue); background: none; }
  .phases .query { --hue: var(--query); border-radius: 1em; max-width: none !important; padding: 0.25em 0.65em !important; border-width: 1px !important; display: inline-block; font-weight: 400; }
  .phases .context { --hue: var(--context); }
  .phases .output { --hue: var(--output); }
  .phases button[aria-pressed="true"] { background: var(--hue) !important; color: var(--paper); border-color: var(--hue); }
  .stagecraft .options { margin-inline-start: auto; }
  .stagecraft .options-body {
    position: absolute; bottom: 100%; inset-inline-end: 0; z-index: 3; padding: 1rem;
    background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
    box-shadow: 0 8px 28px rgb(0 0 0 / 16%); max-width: 100%;
  }
  .stagecraft .options > summary { max-width: 22em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }

  @media (min-width: 56rem) {
    .lanes:not([data-count="1"]) { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  }
  @media (max-width: 56rem) {
    .words { font-size: max(var(--floor, 0.875rem), calc(1.35em * var(--fit))); }
    .runner { grid-template-columns: 5.5em 1fr 3.2em; }
    .bar-of-controls { gap: 0.4em; justify-content: center; }
    .stagecraft .options { margin-inline-start: 0; }
    .telling { font-size: 1em; }
  }
  :host([present]) {
    position: fixed; inset: 0; z-index: 2147483647; overflow: auto; padding: 0 2vw;
  }
  :host([present]) :is(header, [role="tablist"], .provenance) { display: none; }
  :host([present]) .stagecraft {
    --type: clamp(1rem, min(1.3vw, 2.3vh), 4rem); --floor: clamp(0.875rem, min(1.25vw, 2.24vh), 4rem);
    --above: 0px !important; --small: 1em; height: calc(100dvh - 1.5vh);
  }
  :host([present]) .stagecraft :is(.soft, .note, .small) { font-size: 1em; }
  @media (prefers-reduced-motion: reduce) { .dot { display: none; } }
  @media (forced-colors: active) {
    .arc, .out { stroke: CanvasText; }
    .part, .runner .runway i { background: CanvasText !important; forced-color-adjust: none; }
  }
`;function Ns(t){return t.every(({source:e,attentions:n,summary:r})=>e?.kind==="text"&&(n.length?n.some(({kind:o})=>o==="cross"):r!==null))}function Rs(t){let{records:e,selection:n}=t,r=he(e,n),{step:o,stage:i}=ln(r,n),s=e.map(u=>Ri(u,n,o)),a={...t,selection:{...n,stage:r.stages[i]}},l=Math.min(.9,un(n,e)||.5),[c]=s;return p`<div class="stagecraft" .style=${`--beat:${l}s`} data-testid="stage-view"
      data-phase=${Mr[a.selection.stage].id} data-step=${o}>
    <div class="lanes" data-count=${e.length}>
      ${s.map(u=>ks(a,u))}
    </div>
    <p class="telling" role="status" aria-live=${n.playing?"off":"polite"}
      data-testid="summary">${Jc(e.length>1?s:[c],o,a.selection.stage)}</p>
    <div class="bar-of-controls">
      ${vn(t)} ${Qc(a,r.stages)} ${xe(t)}
      ${wt(t,Zc(t,c))}
    </div>
    ${n.detail?Ts(a,s[n.record]):g}
  </div>`}var Mr={0:{id:"query",title:"Query"},2:{id:"weights",title:"Weights"},4:{id:"context",title:"Context"},5:{id:"output",title:"Output"}};function Qc({selection:t,change:e,record:n},r){let o=i=>i===0&&!n.attentions.length?"State":Mr[i].title;return p`<span class="phases" role="group" aria-label="phases of a step">${r.map(i=>p`<button class=${Mr[i].id} data-testid="phase" data-stage=${i}
      aria-pressed=${i===t.stage}
      @click=${()=>e({stage:i,playing:!1,started:!0})}>${o(i)}</button>`)}</span>`}function Zc(t,{record:e,bottleneck:n}){return p`${e.attentions.length?dt(t,g,!1):g}
    <p class="note">${n?"This decoder has the source as one vector of fixed size.":"The width of an arc is its attention weight. The width of a part of the context is weight × ‖value‖."} ${e.model.description}</p>`}function Jc(t,e,n){if(t.length>1)return tu(t);let[{record:r,units:o,weights:i,shares:s,source:a,candidates:l,bottleneck:c}]=t,u=v(o[e-1]?.label??ct("<s>")),d=h=>v(a.units[h].label);if(n===0&&c)return p`The decoder has read ${u}. It looks at nothing but one vector, the same at every step.`;if(n===0)return p`The decoder has read ${u} and asks with its query: what is needed next?`;if(n===5){let h=l.find(({output:f})=>f);return p`It writes ${v(o[Math.min(e,o.length-1)].label)} with probability
      ${w(h?.p??0)}.`}if(c)return p`The whole sentence comes through ${r.attentions.length?"the last state of the encoder":"the last state"}, whatever the word.`;let m=E(n===2?i:s);return n===2?p`The query fits ${d(m)} best: weight ${w(i[m])}.`:p`The values are added up by their weights: ${w(s[m])} of the context is from ${d(m)}.`}function tu(t){return p`${t.map(({record:e,bottleneck:n,units:r,step:o},i)=>{let s=r[o];return p`${i?"; ":""}${e.model.name} ${s?p`writes ${v(s.label)}`:"has ended"}${n?" from one vector":""}`})}.`}var Cs=[_s,Es];function Ps(t){let{record:e,selection:n}=t;if(!e.states||e.source?.kind!=="text")return nt(e);let r=Math.min(n.row,e.steps.length-1),o=Math.min(n.stage,1),i=a=>`stage ${a===o?"now":""}`,s=["<s>",...e.target.pieces.slice(0,r)];return p`<p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${o?cr(e,r):eu(e,r)}</p>
    <section class="stage" data-testid="encoder"><h3>Encoder</h3>
      <p class="note">The encoder reads the source piece by piece. The decoder does not see these
        states, only the fixed vector below.</p>
      ${Hs(e,e.states.encoder,e.source.pieces,-1)}
    </section>
    <section class="stage fixed" data-testid="fixed"><h3>Fixed vector</h3>
      ${e.summary===null?g:B(e.numbers(e.summary),"the whole source","context")}
    </section>
    <section class=${i(0)} data-testid="stage-0"><h3>1. Decoder state</h3>
      <p class="note">The state after each input piece. Before the first piece it is computed from
        the fixed vector.</p>
      ${Hs(e,e.states.decoder,s,r)}
    </section>
    <section class=${i(1)} data-testid="stage-1"><h3>2. Output</h3>
      ${Wt(e,r)}
    </section>`}function eu(t,e){let n=e?t.target.pieces[e-1]:"<s>";return p`Step ${e+1} of ${t.steps.length}: the decoder reads
    ${v(N(n))} and computes its next state from ${e?"the last one":"the fixed vector"}.`}function Hs(t,e,n,r){let o=t.numbers(e),i=e===t.states?.encoder?t.source:t.target,s=i?.kind==="text"?i.pieces.length:n.length,a=o.length/s,l=o.reduce((u,d)=>Math.max(u,Math.abs(d)),0),c=bt(l,e===t.states?.encoder?"value":"query");return p`<ol class="states">${n.map((u,d)=>{let m=o.subarray(d*a,(d+1)*a);return p`<li class=${d===r?"here":""} data-testid="state">
      <bdi dir="auto" title=${N(u)}>${N(u)}</bdi>
      <canvas role="img" aria-label=${`state of ${a} numbers`}
        ${Q(1,m,c,l)}></canvas></li>`})}</ol>`}var Is=M`
  .states {
    list-style: none; display: flex; flex-wrap: wrap; gap: 0.9rem 0.25rem; margin: 0; padding: 0;
  }
  .states li { width: 4.2rem; display: grid; gap: 0.3rem; justify-items: center; }
  .states bdi {
    max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    font-size: var(--small);
  }
  .states canvas { width: 1.6rem; height: 7rem; image-rendering: pixelated; }
  .states .here canvas { outline: 2px solid var(--accent); outline-offset: 2px; }
  .states .here bdi { color: var(--accent); font-weight: 650; }
  .fixed .strip { outline: 2px solid currentColor; outline-offset: 3px; margin-block: 0.3rem; }
`;var Ls=M`
  ${Mi}
  :host {
    color-scheme: light dark;
    --small: 0.9375rem; --tiny: 0.875rem;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (min-width: 75rem) { :host { --small: 1rem; } }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  .soft { color: var(--soft); }
  .small { font-size: var(--small); }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: var(--small); overflow-wrap: anywhere; }
  .hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  button, select, input { font: inherit; color: inherit; }
  button, select {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2rem; max-width: 100%;
  }
  button { cursor: pointer; }
  button:hover:enabled, select:hover { border-color: var(--soft); }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  button:disabled { color: var(--soft); cursor: default; }
  select { text-overflow: ellipsis; }
  input[type="range"] { accent-color: var(--accent); vertical-align: middle; }

  [role="tablist"] {
    display: flex; gap: 0.25rem 1.25rem; overflow-x: auto; overflow-y: hidden;
    margin: 0.5rem 0 1.25rem; scrollbar-width: none;
    box-shadow: inset 0 -1px var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; white-space: nowrap; flex: none;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: var(--small); color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: var(--small); color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: var(--small);
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .primary { background: var(--accent); color: var(--paper); border-color: var(--accent); min-width: 6.5rem; }
  button.primary[aria-pressed="true"] { background: var(--paper); color: var(--accent); }
  .options > summary { cursor: pointer; color: var(--soft); font-size: var(--small); width: fit-content; }
  .options-body { display: grid; gap: 0.75rem; padding-top: 0.75rem; }

  .summary {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: var(--small); max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .provenance { margin-top: 2rem; font-size: var(--small); }
  .placeholder {
    border: 1px dashed var(--line); border-radius: 8px; padding: 1.5rem; max-width: 46rem;
    background: var(--card);
  }
  .scroll { overflow: auto; max-width: 100%; }
  canvas { display: block; image-rendering: pixelated; }
  .legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; align-items: center; }
  .legend span { display: inline-flex; align-items: center; gap: 0.4rem; }
  .ramp { width: 8rem; height: 0.75rem; border-radius: 2px; border: 1px solid var(--line); }
  .strip { width: 100%; height: 1.75rem; border-radius: 3px; border: 1px solid var(--line); }

  @media (prefers-reduced-motion: reduce) {
    * { transition: none !important; animation: none !important; }
  }
  @media (forced-colors: active) {
    button[aria-pressed="true"], [role="tab"][aria-selected="true"] {
      border-color: Highlight; forced-color-adjust: none; background: Highlight;
      color: HighlightText;
    }
  }
  @media print {
    [role="tablist"], .controls { display: none; }
    .scroll { overflow: visible; max-height: none !important; }
  }
`;function zs(t){let e=ft(t);return e?nu(t,e):ru(t.record)}function nu(t,e){let{record:n,selection:r,change:o}=t,{row:i,column:s}=gt(e,r),a=r.by==="row",[l,c]=[e.rows,e.columns],u=(h,f)=>o({by:"row",row:l.units[h].positions[0]??0},f),d=(h,f)=>o({by:"column",column:c.units[h].positions[0]??0},f),m=(h,f)=>e.row(h)[f];return p`<p class="note" data-testid="help">Point at a word to see which words of the other text it attends
      to, or which attend to it. The darker a word, the higher its attention weight.</p>
    <div class="texts">
      ${D({axis:c,side:"columns",name:c.name==="prefix"?"target prefix":c.name,pieces:r.units==="pieces",hover:!0,current:s,selected:!a,value:h=>a?m(i,h):null,style:h=>a?X(m(i,h)):"",label:h=>`${c.units[h].label}, ${a?T(m(i,h)):"source word"}`,select:d})}
      ${D({axis:l,side:"rows",name:l===c?"source (queries)":l.name,pieces:r.units==="pieces",hover:!0,current:i,selected:a,value:h=>a?null:m(h,s),style:h=>`${a?"":X(m(h,s))};${Vs(n,l,h)}`,label:h=>`${l.units[h].label}${a?"":`, ${T(m(h,s))}`}`,select:u})}
    </div>
    <p class="summary" aria-live="polite" data-testid="summary">
      ${a?Je(e,i):tn(e,s)}${a&&l.name==="target"?p`; <i>p</i> = ${w(Math.exp(qs(n,l.units[i])))}`:g}
    </p>
    ${ou(l.name==="target")} ${wt(t,dt(t))} ${yt(t)}`}function ru(t){let e=H("target",t.target,"words"),n=t.source?.kind==="text"?H("source",t.source,"words"):null,r={pieces:!1,hover:!1,current:-1,selected:!1,value:()=>null};return p`<div class="texts">
      ${n?D({...r,axis:n,side:"columns",name:n.name,style:()=>"",label:o=>n.units[o].label}):g}
      ${t.summary===null?g:B(t.numbers(t.summary),"fixed vector","context")}
      ${D({...r,axis:e,side:"rows",name:e.name,style:o=>Vs(t,e,o),label:o=>e.units[o].label})}
    </div>
    ${nt(t)}`}function qs(t,e){return e.positions.reduce((n,r)=>n+t.steps[r].logp,0)}function Vs(t,e,n){if(e.name!=="target")return"";let r=-qs(t,e.units[n]);return`text-decoration-thickness:${(1+Math.min(4,r)).toFixed(2)}px`}function ou(t){return p`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${on()}></i> 1,
      attention weight</span>
    ${t?p`<span>underline: <u class="sure">likely</u> <u class="unsure">unlikely</u></span>`:g}
  </p>`}var Us=M`
  .texts { display: grid; gap: 1.75rem; }
  .texts > * { min-width: 0; }
  .texts [data-side="rows"] .word:not([data-special]) {
    text-decoration: underline var(--output); text-underline-offset: 0.28em;
    text-decoration-skip-ink: none;
  }
  .sure, .unsure { text-decoration-color: var(--output); text-underline-offset: 0.25em; }
  .sure { text-decoration-thickness: 1px; }
  .unsure { text-decoration-thickness: 4px; }
`;function Bs(t){if(!t.record.attentions.length)return p`<div class="trace">
      ${Os(t,t.selection.row)} ${Ds(t)} ${Ps(t)}</div>`;let e=An(t);if(!e)return p`<div class="placeholder" data-testid="placeholder"><p>Encoder self-attention has no
      decoding steps. ${js(t)}</p></div>`;let{column:n,stage:r}=t.selection,{detail:o,attention:i,weights:s,units:a}=e,l=n<0?E(s):Math.min(n,a.length-1),c=u=>`stage ${u===r?"now":""}`;return p`<div class="trace">
    ${iu(t,e,l)} ${Os(t,e.step)} ${Ds(t)}
    <p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${Ni(t.record,e,r)}</p>
    ${su(t,e)}
    <section class=${c(0)} data-testid="stage-0"><h3>1. Query</h3>
      ${o?.terms?B(o.terms.query,"query q, from the decoder state","query"):o?p`<p class="note" data-testid="no-terms">The score of this attention is not shown as
                a sum of terms. The record has its values.</p>`:Tr(t,"the query")}
    </section>
    <div class="middle">
      <section class="positions ${r>0&&r<4?"now":""}">
        ${ue(t,e,l)}
        ${o?xn(e,l):Tr(t,"the terms of the scores")}</section>
      <div class="sides">
        <section class=${c(1)} data-testid="stage-1"><h3>2. Scores</h3>
          ${o?.terms?gn(o.terms.energy!==null):g}
          <p class="note">${i.score.formula} <br><cite>${i.score.reference}</cite></p>
        </section>
        <section class=${c(2)} data-testid="stage-2"><h3>3. Weights</h3>
          ${bn(i.normalizer,i.prior==="gaussian")}
          ${au(t,e)}
        </section>
        <section class=${c(3)} data-testid="stage-3"><h3>4. Weight × value</h3>
          <p class="note">A position with a short value contributes little, whatever its weight. The
            last bars show weight × ‖value‖; the largest share is
            ${w(Math.max(...sn(e)))}.</p>
        </section>
      </div>
    </div>
    <section class=${c(4)} data-testid="stage-4"><h3>5. Context</h3>
      ${o?B(o.context,"context, Σ weight · value","context"):Tr(t,"the context")}
    </section>
    <section class=${c(5)} data-testid="stage-5"><h3>6. Output</h3>
      ${Wt(t.record,e.step)}
      ${t.selection.temperature===1?g:p`<p class="note">The output at τ = 1. Another temperature needs a new forward pass of
              the model.</p>`}
    </section>
  </div>`}function iu(t,{weights:e},n){let{record:r,selection:o,change:i}=t;if(r.source?.kind!=="text")return g;let s=H("source",r.source,o.units);if(s.units.reduce((c,{positions:u})=>c+u.length,0)!==e.length)return g;let l=c=>s.units[c].positions.reduce((u,d)=>u+e[d],0);return D({axis:s,side:"columns",name:"source",pieces:o.units==="pieces",hover:!1,current:ht(s,n),selected:!0,value:l,style:c=>o.stage<2?"":X(l(c)),label:c=>`${s.units[c].label}, ${T(l(c))}`,select:(c,u)=>i({column:s.units[c].positions[0]},u)})}function Os({record:t,selection:e,change:n},r){let o=H("target",t.target,e.units);return D({axis:o,side:"rows",name:"target",pieces:e.units==="pieces",hover:!1,current:ht(o,r),selected:!0,value:()=>null,style:()=>"",label:i=>`step ${o.units[i].positions[0]+1}, ${o.units[i].label}`,select:(i,s)=>n({row:o.units[i].positions[0],column:-1,playing:!1},s)})}function Ds(t){let{record:e,selection:n}=t;return p`<div class="controls">
    ${vn(t)} ${xe(t)}
    <span class="soft small" data-testid="stage">stage ${n.stage+1} of ${an(e)}</span>
  </div>`}function su(t,e){let{record:n,selection:r}=t,o=Ar(t)&&n.head_trace?n.head_trace.head:r.head,i=n.attentions.length>1||e.attention.heads>1;return p`<p class="note" data-testid="caption">
    <strong>${Ht(n,e.attention,{head:o,shift:0})}</strong>.
    ${e.detail?e.detail.terms?"The record has all vectors of this head.":"The record has the scores, weights and values of this head.":p`The record has the vectors of another head. ${js(t)}`}
    ${i?"The output depends on all heads and layers; this is one of them.":g}
    ${n.alignment_head?.shift&&e.detail?"The text view shows this head at next input, one step later.":g}</p>`}function js({record:t,change:e}){return t.head_trace?p`<button data-testid="traced-head"
    @click=${()=>e(V(t),'[data-testid="forward"]')}>
    Show the head with all vectors</button>`:g}function Tr({selection:t},e){let n=typeof t.head=="number"?t.head+1:1;return p`<p class="note">The record does not have ${e} of this head. To record it:
    <code>regard explain … --attention ${t.attention} --head ${n}</code></p>`}function au({selection:t,change:e},n){let{attention:r,scores:o,weights:i,recorded:s,detail:a}=n;if(!o)return p`<p class="note">The ${t.head==="mean"?"mean":"maximum"} of several heads
      has no scores.</p>`;let l=Math.max(...i.map((m,h)=>Math.abs(m-s[h]))),c=t.temperature,u=m=>e({temperature:2**Number(m.target.value)}),d=r.normalizer.name;return Ze.has(d)?p`${d==="hard"||d==="uniform"?g:p`<label class="field" for="temperature">
          temperature τ = ${c===1?"1, as in the model":w(c)}
          <input id="temperature" data-testid="temperature" type="range" min="-3" max="3" step="0.25"
            .value=${String(Math.log2(c))}
            @input=${u}>
        </label>`}
  ${r.prior==="gaussian"?p`<p class="note">Your browser recomputes the softmax. The Gaussian is the ratio of the
          recorded weights to this softmax, because the record does not have p and D.</p>`:g}
  ${c===1&&!a?p`<p class="note">The weights of the model. At another τ your browser computes them from
          scores in half precision.</p>`:c===1?p`<p class="note">Computed by your browser; the recorded weights differ by at most
          <data data-testid="recompute-error" data-value=${l} value=${l}
            >${l.toExponential(0).replace("-","−")}</data>.</p>`:p`<p class="note">These are not the weights of the model.
          <button data-testid="reset-temperature"
            @click=${()=>e({temperature:1},"#temperature")}>Back to τ = 1</button></p>`}`:p`<p class="note" data-testid="recorded-weights">The weights of the model. The viewer
      does not recompute this normalizer.</p>`}var Fs=M`
  .trace { display: grid; gap: 1.25rem; }
  .trace > * { min-width: 0; }
  .middle {
    display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.25rem;
    align-items: start;
  }
  .sides { display: grid; gap: 1.25rem; }
  .stage, .positions {
    border-inline-start: 3px solid var(--line); padding: 0.1rem 0 0.1rem 1rem; display: grid;
    gap: 0.6rem; min-width: 0;
  }
  .stage > *, .positions > * { min-width: 0; }
  .trace .now { border-color: var(--accent); }
  .trace .now > h3 { color: var(--accent); }
  .trace code { font-size: 0.85em; overflow-wrap: anywhere; }
  @media (max-width: 52rem) { .middle { grid-template-columns: minmax(0, 1fr); } }
`;var ye=()=>!0;function Gs(){return/[?&]present\b/.test(location.search)||/(#|&)present\b/.test(location.hash)}function lu(t,e,n){return t.matches("select, textarea, [contenteditable], input:not([type=checkbox])")?!0:e===" "&&!n&&t.matches("button:not([role=tab]), summary, a, input, [role=button]:not(.word)")}var Ws=t=>t.source?.kind==="image",Er=[{id:"stage",title:"Stage",render:Rs,fits:Ns},{id:"image",title:"Image",render:os,fits:t=>Ws(t[0])},{id:"text",title:"Text",render:zs,fits:t=>!Ws(t[0])},{id:"matrix",title:"Matrix",render:ws,fits:ye},{id:"trace",title:"Step by step",render:Bs,fits:ye},{id:"heads",title:"Layers × heads",render:es,fits:ye},{id:"beam",title:"Beam search",render:ki,fits:ye},{id:"compare",title:"Compare",render:Vi,fits:t=>t.length>1},{id:"interventions",title:"Interventions",render:as,fits:ye}],Mn=class extends pt{static styles=[Ls,zi,Us,Yi,Wi,ci,Gi,Fs,Cs,Is,ns,Ai,Oi,is,us];#t=[];#e=null;#r="";#c=!1;#o="";#a=0;#i=0;#l=!1;#u=960;#d=new ResizeObserver(([e])=>{this.#u=e.contentRect.width,this.requestUpdate()});#p=matchMedia("(prefers-color-scheme: dark)");#s=()=>this.requestUpdate();#m=()=>this.#n(this.#h());connectedCallback(){super.connectedCallback(),this.#d.observe(this),this.#p.addEventListener("change",this.#s),window.addEventListener("hashchange",this.#m),window.addEventListener("resize",this.#s),window.addEventListener("keydown",this.#x,!0),window.addEventListener("pointerdown",this.#b,!0),this.toggleAttribute("present",Gs());let e=this.querySelectorAll(':scope > script[type="application/json"]');(e.length||!this.#c)&&this.show(Array.from(e,n=>n.textContent??""))}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.#a),this.#d.disconnect(),this.#p.removeEventListener("change",this.#s),window.removeEventListener("hashchange",this.#m),window.removeEventListener("resize",this.#s),window.removeEventListener("keydown",this.#x,!0),window.removeEventListener("pointerdown",this.#b,!0)}async show(e){this.#c=!0,this.#r="";try{if(this.#t=await Promise.all(e.map(vr)),!this.#t.length)throw new Error("The page has no record to show.");let n=Er.filter(r=>r.fits(this.#t));this.#e=si(this.#t,n[0].id),this.#n(this.#h())}catch(n){this.#r=n instanceof Error?n.message:String(n)}this.requestUpdate(),await this.updateComplete,performance.mark("regard-ready"),this.dispatchEvent(new Event("regard-ready"))}async replace(e,n=0){let r=typeof e=="string"?await vr(e):e;this.#t=this.#t.map((a,l)=>l===n?r:a);let o=this.#e;if(!o)return;let i=R(r,o.attention)?{}:V(r),s=r.steps.length-1;this.#n({...o.record===n?i:{},row:Math.min(o.row,s),column:-1,stage:xt(o.view)&&!o.playing?5:o.stage,started:!1,playing:!1,node:null,intervention:0})}#h(){let[e,n]=this.#f()?location.hash.slice(1).split(/[/&]/):[],r=Er.find(i=>i.id===e&&i.fits(this.#t));if(!r)return{};let o=Number(n)-1;return o>=0?{view:r.id,row:o,column:-1}:{view:r.id}}#f(){return location.protocol!=="about:"&&this.#g()}#g(){return document.querySelectorAll("regard-view").length===1}#n(e,n=""){if(!this.#e)return;let r=e.record,o=r===void 0?{}:{...V(this.#t[r]),stage:0},i=this.#w(this.#e,e);e.playing&&(this.#i=performance.now()),this.#e={...this.#e,...o,...i,...e},this.#o=n;let{view:s,row:a}=this.#e,l=xt(s)?`#${s}/${a+1}`:`#${s}`,c=Gs()&&location.hash?`${l}&present`:l;(e.view||xt(s)&&e.row!==void 0)&&this.#f()&&location.hash!==c&&history.replaceState(null,"",c),this.requestUpdate()}#w(e,n){let{view:r}=n;if(!r||r===e.view)return{};let o=e.started?{}:{stage:r==="stage"?5:0},i=Number(xt(r))-Number(xt(e.view)),s=this.#t[e.record].steps.length-1,a=Math.max(0,Math.min(s,e.row+i*e.shift));return{...o,row:a}}#y(e){let n=1e3*un(e,this.#t),r=()=>{let o=Math.max(1,Math.floor((performance.now()-this.#i)/n));this.#i+=o*n,this.#n(Pt(e,this.#t,o))};this.#a=window.setTimeout(r,this.#i+n-performance.now())}#b=()=>{this.#l=!0};#x=e=>{e.key==="Tab"&&(this.#l=!1);let n=this.#e;if(!n||!xt(n.view)||e.ctrlKey||e.metaKey||e.altKey||e.shiftKey)return;let r=e.composedPath();if(!r.includes(this)&&!this.#g()||r[0]instanceof Element&&lu(r[0],e.key,this.#l)||n.detail&&!e.key.startsWith("Arrow"))return;let i={ArrowRight:()=>Pt(n,this.#t,1),ArrowLeft:()=>Pt(n,this.#t,-1),PageDown:()=>dr(n,this.#t,1),PageUp:()=>dr(n,this.#t,-1)," ":()=>cn(n,this.#t)}[e.key];i&&(e.preventDefault(),e.stopPropagation(),this.#n({playing:!1,...i()}))};updated(e){clearTimeout(this.#a);let n=this.#e;if(n?.playing&&this.#y(n),n&&this.#$(n),!this.#o)return;let r=this.renderRoot.querySelector(this.#o);this.#o="",r?.focus()}#$({view:e,playing:n,detail:r}){let o=this.renderRoot.querySelector(".tall"),i=o?.querySelector(".here");if(o&&i){let l=i.offsetTop-o.clientHeight/2;Math.abs(l-o.scrollTop)>o.clientHeight/2-2*i.offsetHeight&&(o.scrollTop=l)}e==="trace"&&n&&this.renderRoot.querySelector(".stage.now, .positions.now")?.scrollIntoView({block:"nearest"}),this.renderRoot.querySelector("[role=tab][aria-selected=true]")?.scrollIntoView({block:"nearest",inline:"nearest"});let s=this.renderRoot.querySelector("dialog");s&&r&&!s.open&&s.showModal();let a=this.renderRoot.querySelector(".panel");if(e==="stage"&&a){let l=a.getBoundingClientRect().top+window.scrollY;a.style.setProperty("--above",`${l<window.innerHeight/2?Math.ceil(l):0}px`),Qr(a)}}render(){let e=this.#e;if(this.#r)return p`<p class="placeholder" role="alert">${this.#r}</p>`;if(!e)return p``;let n=this.#t,r=n[e.record],o={records:n,record:r,selection:e,width:this.#u,change:(a,l)=>this.#n(a,l)},i=Er.filter(a=>a.fits(n)),s=i.find(a=>a.id===e.view)??i[0];return p`${this.#v(o)}
      <slot name="editor"></slot>
      <div role="tablist" aria-label="views" @keydown=${a=>this.#A(a,i)}>
        ${i.map(a=>p`<button role="tab" id=${`tab-${a.id}`} data-testid=${`tab-${a.id}`}
            aria-selected=${a===s} aria-controls="panel" tabindex=${a===s?0:-1}
            @click=${()=>this.#n({view:a.id,playing:!1})}>${a.title}</button>`)}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${s.id}`}
        aria-labelledby=${`tab-${s.id}`}>${s.render(o)}</section>
      ${s.id==="stage"?g:this.#k(r)}`}#v({records:e,record:n,selection:r}){let{model:o,created:i}=n,s=e.length>1?p`<h2 class="hidden">${e.length} models</h2><label>model <select data-testid="model" @change=${a=>this.#n({record:Number(a.target.value)})}>
            ${e.map((a,l)=>p`<option value=${l} ?selected=${l===r.record}>
                ${a.model.name}</option>`)}</select></label>`:p`<h2>${o.name}</h2>`;return p`<header>${s}
      ${i.search==="given"?p`<p>the user gave the target</p>`:g}</header>`}#k({model:e,created:n}){let r=[e.description,n.search,n.engine&&`engine ${n.engine}`,n.precision,`${e.parameters.toLocaleString("en")} parameters`,`weights ${e.sha256.slice(0,12)}`,n.regard&&`regard ${n.regard}`,n.torch&&`torch ${n.torch}`];return p`<p class="note provenance" data-testid="provenance" title=${e.sha256}>
      ${r.filter(Boolean).join(" · ")}</p>`}#A(e,n){let r=n.findIndex(({id:s})=>`tab-${s}`===e.target.id),o=n.length-1,i={ArrowRight:r===o?0:r+1,ArrowLeft:r<=0?o:r-1,ArrowDown:r===o?0:r+1,ArrowUp:r<=0?o:r-1,Home:0,End:o}[e.key];i!==void 0&&(e.preventDefault(),this.#n({view:n[i].id,playing:!1},`#tab-${n[i].id}`))}};customElements.get("regard-view")||customElements.define("regard-view",Mn);
